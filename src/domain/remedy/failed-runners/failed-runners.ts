import { approvals, rechecksAround } from '../common-gates.ts'
import type { Gate } from '../gate.ts'
import type { ProveFacts, Remedy } from '../remedy.ts'
import { goneFromCluster, noJobLost } from '../runner/results.ts'
import type { FailedRunnersFacts } from './facts.ts'
import { newFailures } from './new-failures.ts'
import { rechecks } from './rechecks.ts'

const minuteMs = 60_000

const proofs: readonly Gate<ProveFacts<FailedRunnersFacts>>[] = [
  {
    name: 'slots-free',
    why: 'The slots are what this is for.',
    judge({ reading: { runners }, plan }) {
      const left = runners.filter(({ uid }) => plan.objects.some((each) => each.uid === uid))
      return { passed: left.length === 0, proof: `${left.length} of the planned runners are left` }
    },
  },
  {
    name: 'cause-gone',
    why: 'A replacement that failed again holds the slot as before: put the cause right first.',
    judge: ({ reading, plan }) => newFailures(reading, plan),
  },
]

/** Removes runners that ARC calls Failed and never tries again: each holds a slot of its set until its object goes. */
export const failedRunners: Remedy<FailedRunnersFacts> = {
  name: 'failed-runners',
  bounds: {
    objectsPerRunMax: 20,
    objectsPerHourMax: 60,
    planAgeMaxMs: 15 * minuteMs,
    factAgeMaxMs: 20_000,
    // ARC asks the forge every 30 s.
    verifyMaxMs: 2 * minuteMs,
    proveMaxMs: 2 * minuteMs,
  },
  approvals,
  rechecks: rechecksAround(rechecks),
  verifications: [goneFromCluster, noJobLost],
  proofs,
}
