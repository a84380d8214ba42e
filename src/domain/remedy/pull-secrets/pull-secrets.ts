import { approvals, rechecksAround } from '../common-gates.ts'
import { type Gate, pass } from '../gate.ts'
import type { ProveFacts, Remedy, VerifyFacts } from '../remedy.ts'
import type { PullSecretsFacts } from './facts.ts'
import { judgeEqual, judgeRunning } from './judge-copy.ts'
import { rechecks } from './rechecks.ts'

const minuteMs = 60_000

const verifications: readonly Gate<VerifyFacts<PullSecretsFacts>>[] = [
  {
    name: 'copies-equal',
    why: 'What was written is what the runners pull with.',
    judge: judgeEqual,
  },
  {
    name: 'listener-pulled',
    why: 'ARC makes the listener’s pod again under its name; its container runs only where its image was pulled.',
    judge({ planned, listenerPod }) {
      if (planned.kind === 'Secret') return pass('its pod is no part of this step')
      const running = judgeRunning(listenerPod)
      const isNew = listenerPod !== null && listenerPod.uid !== planned.uid
      return {
        passed: isNew && running.passed,
        proof: `${isNew ? 'made again' : 'not made again'}; ${running.proof}`,
      }
    },
  },
]

const proofs: readonly Gate<ProveFacts<PullSecretsFacts>>[] = [
  { name: 'copies-equal', why: 'Nobody wrote the old one back.', judge: judgeEqual },
  {
    name: 'listener-running',
    why: 'Without a listener the set takes no jobs.',
    judge: ({ isPodPlanned, listenerPod }) =>
      isPodPlanned ? judgeRunning(listenerPod) : pass('the listener was not touched'),
  },
]

/** Copies the pull secret with which runners really pull to where the listeners are, and makes the one listener again. */
export const pullSecrets: Remedy<PullSecretsFacts> = {
  name: 'pull-secrets',
  bounds: {
    objectsPerRunMax: 10,
    objectsPerHourMax: 20,
    planAgeMaxMs: 15 * minuteMs,
    factAgeMaxMs: 20_000,
    // A pod that is made again pulls its image first.
    verifyMaxMs: 3 * minuteMs,
    proveMaxMs: 1 * minuteMs,
  },
  approvals,
  rechecks: rechecksAround(rechecks),
  verifications,
  proofs,
}
