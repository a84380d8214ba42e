import { isOpen, type Job, jobStates } from '../../src/domain/job/index.ts'
import type { Violation } from './violation.ts'

/**
 * I8: follows jobs from look to look. None moves after its end, unless it is lost by a death that was sealed since, with the
 * forge's word kept; none backwards unless something put it back since the look before.
 */
export function createMoves(): (
  jobs: ReadonlyMap<number, Job>,
  since: { readonly wasPutBack: (jobId: number) => boolean; readonly wasJudged: (jobId: number) => boolean },
) => Violation | null {
  const before = new Map<number, Job>()
  return (jobs, { wasPutBack, wasJudged }) => {
    for (const job of jobs.values()) {
      const earlier = before.get(job.id)
      before.set(job.id, job)
      if (earlier === undefined || earlier === job) continue
      const moved = `job ${job.id} went from ${earlier.state} to ${job.state}`
      if (!isOpen(earlier) && !isSameEnd(earlier, job) && !(isJudged(earlier, job) && wasJudged(job.id))) {
        return { invariant: 'I8', what: `${moved} after its end` }
      }
      if (jobStates.indexOf(job.state) < jobStates.indexOf(earlier.state) && !wasPutBack(job.id)) {
        return { invariant: 'I8', what: `${moved} although nothing put it back` }
      }
    }
    return null
  }
}

function isSameEnd(earlier: Job, job: Job): boolean {
  return job.state === earlier.state && job.conclusion === earlier.conclusion
}

/** The death of its runner decides, and changes nothing else of it. */
function isJudged(earlier: Job, job: Job): boolean {
  const { conclusion, forgeCompletedAt, endedAt, executor } = earlier
  return (
    (conclusion === 'failure' || conclusion === 'cancelled') &&
    earlier.state !== 'lost' &&
    job.state === 'lost' &&
    job.conclusion === conclusion &&
    job.forgeCompletedAt === forgeCompletedAt &&
    job.endedAt === endedAt &&
    job.executor === executor
  )
}
