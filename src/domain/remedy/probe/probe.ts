import { approvals, rechecksAround } from '../common-gates.ts'
import { fail, type Gate, pass } from '../gate.ts'
import type { Remedy, VerifyFacts } from '../remedy.ts'
import type { ProbeCleanFacts, ProbeFacts, ProbeKind } from './facts.ts'
import { judgeProbe } from './judge-probe.ts'
import { cleanRechecks, makeRechecks } from './rechecks.ts'

const minuteMs = 60_000
/** The longest deadline that a plan may name. */
export const deadlineSecondsMax = 1_800

const verifications: readonly Gate<VerifyFacts<ProbeFacts>>[] = [
  {
    name: 'answered',
    why: 'The answer is noted before the pod goes. `unknown` is an answer too: it comes with the deadline at the latest.',
    judge({ planned, pod, at }) {
      const verdict = judgeProbe(planned, pod, at)
      if (verdict === null) return fail('no answer yet')
      return pass(`${verdict.outcome} (${verdict.confidence}): ${verdict.summary}`)
    },
  },
]

/** Asks one question from a lane, by a pod of ours that is made from it. */
export function probe(kind: ProbeKind): Remedy<ProbeFacts> {
  return {
    name: `probe-${kind}`,
    bounds: {
      objectsPerRunMax: 1,
      objectsPerHourMax: 30,
      planAgeMaxMs: 15 * minuteMs,
      factAgeMaxMs: 20_000,
      // Its deadline ends it sooner; then the answer is `unknown`.
      verifyMaxMs: (deadlineSecondsMax + 60) * 1_000,
      proveMaxMs: minuteMs,
    },
    approvals,
    rechecks: rechecksAround(makeRechecks),
    verifications,
    proofs: [],
  }
}

/** Removes pods of probes: the one that has just ended, or those that earlier ones left. */
export const probeClean: Remedy<ProbeCleanFacts> = {
  name: 'probe-clean',
  bounds: {
    objectsPerRunMax: 20,
    // More than probes can make: a bound must not be why a pod stays.
    objectsPerHourMax: 500,
    planAgeMaxMs: 15 * minuteMs,
    factAgeMaxMs: 20_000,
    verifyMaxMs: minuteMs,
    proveMaxMs: minuteMs,
  },
  approvals,
  rechecks: rechecksAround(cleanRechecks),
  verifications: [
    {
      name: 'pod-gone',
      why: 'It is removed when no pod of its UID is left.',
      judge: ({ pod, planned: { uid } }) =>
        pod !== null && pod.uid === uid ? fail('it is still there') : pass('no pod of this uid is left'),
    },
  ],
  proofs: [],
}
