import { isOpen } from '../../src/domain/job/index.ts'
import type { Watched } from './checkers.ts'
import { allJobs } from './ledger/index.ts'
import { isRefused } from './origin-checks.ts'

/** Whether every job that a pool takes is over, here and at the forge, and no attempt is open. */
export function isAtRest(watched: Watched): boolean {
  const { rows, core } = watched
  const { jobs, attempts } = rows
  const known = new Set(allJobs(rows).map((job) => job.forgeJobId))
  const refused = new Set(core.jobs().flatMap((job) => (isRefused(job, watched) ? [job.id] : [])))
  return (
    core
      .jobs()
      .every(
        ({ id, status, starts }) =>
          refused.has(id) || (status === 'completed' && (starts.length === 0 || known.has(id))),
      ) &&
    [...jobs.values()].every((job) => !isOpen(job) || refused.has(job.forgeJobId)) &&
    [...attempts.values()].every((attempt) => attempt.endedAt !== null)
  )
}
