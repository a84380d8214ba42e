import { approvals, rechecksAround } from '../common-gates.ts'
import { judgeNothingLost, judgeSameCredential, judgeSecretState, judgeUnused } from '../credential/copies.ts'
import { fail, type Gate, pass } from '../gate.ts'
import type { RecheckFacts, Remedy } from '../remedy.ts'
import type { AppCredentialsFacts } from './facts.ts'
import { judgeAppAccepted, judgeAppKeys, judgeRegisteredAt } from './judge-app.ts'

const minuteMs = 60_000

const rechecks: readonly Gate<RecheckFacts<AppCredentialsFacts>>[] = [
  {
    name: 'same-object',
    why: 'Another object of the same name, or another state of it, was never approved.',
    judge({ target, planned }) {
      if (!planned.isMissing) return judgeSecretState(target, planned)
      return target === null ? pass('it is not there, as planned') : fail('it is there now, and was not')
    },
  },
  {
    name: 'same-source',
    why: 'Only the state that the forge accepted is copied.',
    judge: ({ source, planned }) => judgeSecretState(source, planned.source),
  },
  {
    name: 'same-registration',
    why: 'An App that is installed on one organisation or repository is refused by another.',
    judge: ({ set, planned }) => judgeRegisteredAt(set, planned),
  },
  {
    name: 'app-keys',
    why: 'ARC reads three keys by their names: with another one a set cannot authenticate.',
    judge: ({ source, planned }) => judgeAppKeys(source, planned.source),
  },
  {
    name: 'app-accepted',
    why: 'An App that is not installed on the target would take the place of a token that is only used up.',
    judge: ({ credential, planned }) => judgeAppAccepted(credential, planned.forgeScope),
  },
  {
    name: 'copy-needed',
    why: 'Equal copies need no write.',
    judge(facts) {
      const equal = judgeSameCredential(facts)
      return equal.passed ? fail(`equal already: ${equal.proof}`) : pass(equal.proof)
    },
  },
  {
    name: 'target-unused',
    why: 'A set that names the other copy as its own credential may work with it: which of two is right, a person knows.',
    judge: ({ users }) => judgeUnused(users),
  },
  {
    name: 'loses-nothing',
    why: 'Keys that ARC does not read are somebody else’s, and would be in another Secret after the copy than before.',
    judge: ({ target, source }) => judgeNothingLost(target, source),
  },
]

/** Copies an App's credential, which the forge accepts for a set, to the namespace of the set's listener. */
export const appCredentials: Remedy<AppCredentialsFacts> = {
  name: 'credentials',
  bounds: {
    objectsPerRunMax: 1,
    objectsPerHourMax: 5,
    planAgeMaxMs: 15 * minuteMs,
    factAgeMaxMs: 20_000,
    verifyMaxMs: 30_000,
    proveMaxMs: 1 * minuteMs,
  },
  approvals,
  rechecks: rechecksAround(rechecks),
  verifications: [
    { name: 'copies-equal', why: 'What was written is what the forge accepted.', judge: judgeSameCredential },
  ],
  proofs: [{ name: 'copies-equal', why: 'Nobody wrote the old one back.', judge: judgeSameCredential }],
}
