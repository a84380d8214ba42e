import { isOpen, type Job, jobStates } from '../../src/domain/job/index.ts'
import type { Violation } from './violation.ts'

/**
 * I8: follows jobs from look to look. None moves after its end, none backwards unless something put it back since the
 * look before.
 */
export function createMoves(): (
  jobs: ReadonlyMap<number, Job>,
  wasPutBack: (jobId: number) => boolean,
) => Violation | null {
  const before = new Map<number, Job>()
  return (jobs, wasPutBack) => {
    for (const job of jobs.values()) {
      const earlier = before.get(job.id)
      before.set(job.id, job)
      if (earlier === undefined || earlier === job) continue
      const moved = `job ${job.id} went from ${earlier.state} to ${job.state}`
      if (!isOpen(earlier) && (job.state !== earlier.state || job.conclusion !== earlier.conclusion)) {
        return { invariant: 'I8', what: `${moved} after its end` }
      }
      if (jobStates.indexOf(job.state) < jobStates.indexOf(earlier.state) && !wasPutBack(job.id)) {
        return { invariant: 'I8', what: `${moved} although nothing put it back` }
      }
    }
    return null
  }
}
