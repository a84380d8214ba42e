import { approvals, rechecksAround } from '../common-gates.ts'
import {
  judgeKeys,
  judgeNothingLost,
  judgeSameCredential,
  judgeSecretState,
  judgeUnused,
} from '../credential/copies.ts'
import { judgeProvenBySession, judgeSession } from '../credential/session.ts'
import { fail, type Gate, pass } from '../gate.ts'
import type { ProveFacts, RecheckFacts, Remedy } from '../remedy.ts'
import type { SecretDriftFacts } from './facts.ts'

const minuteMs = 60_000

const rechecks: readonly Gate<RecheckFacts<SecretDriftFacts>>[] = [
  {
    name: 'same-object',
    why: 'Another object of the same name, or another state of it, was never approved.',
    judge: ({ target, planned }) => judgeSecretState(target, planned),
  },
  {
    name: 'same-source',
    why: 'Only the copy that was proven good is copied.',
    judge: ({ source, planned }) => judgeSecretState(source, planned.source),
  },
  {
    name: 'source-keys',
    why: 'ARC reads a token, or three keys of an App, by their names: a copy without them helps nobody.',
    judge: ({ source }) => judgeKeys(source),
  },
  {
    name: 'source-proven',
    why: 'Neither copy is good by being newer. A session that was opened since the Secret was written is the forge’s own word.',
    judge: ({ source, session }) => judgeProvenBySession(source, session),
  },
  {
    name: 'copy-needed',
    why: 'Equal copies that are refused are an invalid credential: copying changes nothing.',
    judge(facts) {
      const equal = judgeSameCredential(facts)
      return equal.passed ? fail(`equal already: ${equal.proof}`) : pass(equal.proof)
    },
  },
  {
    name: 'target-unused',
    why: 'A set that names the other copy as its own credential may work with it: which of two good ones is right, a person knows.',
    judge: ({ users }) => judgeUnused(users),
  },
  {
    name: 'loses-nothing',
    why: 'Keys that ARC does not read are somebody else’s, and would be in another Secret after the copy than before.',
    judge: ({ target, source }) => judgeNothingLost(target, source),
  },
]

const proofs: readonly Gate<ProveFacts<SecretDriftFacts>>[] = [
  { name: 'copies-equal', why: 'Nobody wrote the old one back.', judge: judgeSameCredential },
  {
    name: 'listener-session',
    why: 'The set takes jobs as before.',
    judge({ session, phase }) {
      const open = judgeSession(session)
      // ARC up to 0.12 has no phases.
      const isRunning = phase === null || phase === 'Running'
      return { passed: open.passed && isRunning, proof: `set ${phase ?? 'without a phase'}; ${open.proof}` }
    },
  },
]

/** Copies the credential with which a set's listener really has its session over the copy that differs. */
export const secretDrift: Remedy<SecretDriftFacts> = {
  name: 'secret-drift',
  bounds: {
    objectsPerRunMax: 5,
    objectsPerHourMax: 10,
    planAgeMaxMs: 15 * minuteMs,
    factAgeMaxMs: 20_000,
    verifyMaxMs: 30_000,
    proveMaxMs: 1 * minuteMs,
  },
  approvals,
  rechecks: rechecksAround(rechecks),
  verifications: [
    { name: 'copies-equal', why: 'What was written is what the session has.', judge: judgeSameCredential },
  ],
  proofs,
}
