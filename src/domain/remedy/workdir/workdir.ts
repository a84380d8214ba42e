import { approvals, rechecksAround } from '../common-gates.ts'
import { fail, type Gate, pass } from '../gate.ts'
import { drained, noWorker } from '../host/gates.ts'
import type { Remedy, VerifyFacts } from '../remedy.ts'
import type { WorkdirFacts } from './facts.ts'
import { workdirRechecks } from './rechecks.ts'

const minuteMs = 60_000

const verifications: readonly Gate<VerifyFacts<WorkdirFacts>>[] = [
  {
    name: 'folder-clean',
    why: 'The audit that found it decides.',
    judge({ facts: { cuts, top }, judgement: { folders, verdict }, planned: { name, target } }) {
      const found = top.find((each) => each.name === name)
      if (cuts.length > 0) return fail(`not everything was seen: ${cuts.join('; ')}`)
      if (found === undefined) return pass('the folder itself is gone')
      const judged = folders.find((each) => each.name === name)?.verdict ?? verdict
      if (!['healthy', 'drift', 'stale-lock'].includes(judged)) return fail(`it is ${judged}`)
      if (target.mode === 'remove' && !found.isEmpty)
        return fail('entries are left that the system does not remove')
      return pass(found.isEmpty ? 'it is empty' : `it is ${judged}`)
    },
  },
  {
    name: 'others-unchanged',
    why: 'One folder was approved, and no other.',
    judge: ({ others, planned }) => ({
      passed: others === planned.others,
      proof: `listing of the other folders ${others.slice(0, 12)}; planned ${planned.others.slice(0, 12)}`,
    }),
  },
  noWorker,
]

/** Empties or unlocks the one folder of a repository that a persistent runner cannot empty, while the host is drained. */
export const workdirRemediate: Remedy<WorkdirFacts> = {
  name: 'workdir-remediate',
  bounds: {
    objectsPerRunMax: 1,
    objectsPerHourMax: 10,
    planAgeMaxMs: 15 * minuteMs,
    // One look takes up to 100 s, and the host looks at its processes again by itself.
    factAgeMaxMs: 3 * minuteMs,
    verifyMaxMs: minuteMs / 2,
    proveMaxMs: minuteMs / 2,
  },
  approvals,
  rechecks: rechecksAround<WorkdirFacts>(workdirRechecks),
  verifications,
  proofs: [drained, noWorker],
}
