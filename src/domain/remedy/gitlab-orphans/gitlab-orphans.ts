import { approvals, rechecksAround } from '../common-gates.ts'
import { fail, type Gate, pass } from '../gate.ts'
import type { ProveFacts, Remedy, VerifyFacts } from '../remedy.ts'
import type { GitlabOrphansFacts } from './facts.ts'
import { rechecks } from './rechecks.ts'

const minuteMs = 60_000

const verifications: readonly Gate<VerifyFacts<GitlabOrphansFacts>>[] = [
  {
    name: 'gone-from-cluster',
    why: 'A node that is lost keeps its pods: nothing was freed then.',
    judge({ pod, planned }) {
      if (pod === null || pod.uid !== planned.uid) return pass('there is no pod of its UID any more')
      return fail(`still there, deletion ${pod.deletedAt === null ? 'not requested' : 'requested'}`)
    },
  },
]

const proofs: readonly Gate<ProveFacts<GitlabOrphansFacts>>[] = [
  {
    name: 'none-left',
    why: 'The room that they took is what this is for.',
    judge({ reading, plan }) {
      const left = reading.pods.filter(({ uid }) => plan.objects.some((each) => each.uid === uid))
      return { passed: left.length === 0, proof: `${left.length} of the planned pods are left` }
    },
  },
]

/** Removes job pods of GitLab Runner whose manager is gone and whose job is over: nobody else does. */
export const gitlabOrphans: Remedy<GitlabOrphansFacts> = {
  name: 'gitlab-orphans',
  bounds: {
    objectsPerRunMax: 10,
    objectsPerHourMax: 30,
    planAgeMaxMs: 15 * minuteMs,
    factAgeMaxMs: 20_000,
    // Its containers get their grace period, 30 s unless the runner says more.
    verifyMaxMs: 3 * minuteMs,
    proveMaxMs: minuteMs,
  },
  approvals,
  rechecks: rechecksAround(rechecks),
  verifications,
  proofs,
}
