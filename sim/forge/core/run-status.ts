import type { Conclusion, Job, JobStatus, Run } from './model.ts'

export interface RunStatus {
  /** `pending`: another run of its group is under way. `waiting`: all that is left of it waits for an approval. */
  readonly status: JobStatus | 'pending'
  readonly conclusion: Conclusion | null
}

/** The status of a run, which follows from its jobs. */
export function runStatus(run: Run, jobs: readonly Job[]): RunStatus {
  if (run.state === 'cancelled') return { status: 'completed', conclusion: 'cancelled' }
  if (run.state === 'pending') return { status: 'pending', conclusion: null }
  const current = jobsOfAttempt(jobs, run.attempt)
  if (run.waiting.length === 0 && current.every((job) => job.status === 'completed')) {
    return { status: 'completed', conclusion: worst([...latestOf(jobs).values()]) }
  }
  const open = current.filter((job) => job.status !== 'completed')
  if (open.length > 0 && open.every((job) => job.status === 'waiting')) {
    return { status: 'waiting', conclusion: null }
  }
  const isUnderWay = current.some(
    ({ status, isCarried }) => !isCarried && status !== 'queued' && status !== 'waiting',
  )
  return { status: isUnderWay ? 'in_progress' : 'queued', conclusion: null }
}

/** The status of an attempt that ended. */
export function attemptStatus(jobs: readonly Job[]): RunStatus {
  return { status: 'completed', conclusion: worst(jobs) }
}

export function jobsOfAttempt(jobs: readonly Job[], attempt: number): readonly Job[] {
  return jobs.filter((job) => job.runAttempt === attempt)
}

/** The newest job for each place of the plan. */
export function latestOf(jobs: readonly Job[]): ReadonlyMap<number, Job> {
  // Ids grow, and jobs come in the order of their ids: the last one stays.
  return new Map(jobs.map((job) => [job.place, job]))
}

function worst(jobs: readonly Job[]): Conclusion {
  const conclusions = new Set(jobs.map((job) => job.conclusion))
  if (conclusions.has('failure')) return 'failure'
  if (conclusions.has('cancelled')) return 'cancelled'
  return conclusions.size === 1 && conclusions.has('skipped') ? 'skipped' : 'success'
}
