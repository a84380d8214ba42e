import type { Conclusion, Job, JobStatus } from './model.ts'

export interface RunStatus {
  readonly status: JobStatus
  readonly conclusion: Conclusion | null
}

/** What a run is, which follows from its jobs. */
export function runStatus(jobs: readonly Job[]): RunStatus {
  if (jobs.every((job) => job.status === 'completed')) {
    return { status: 'completed', conclusion: worst(jobs) }
  }
  const isUnderWay = jobs.some((job) => job.status !== 'queued')
  return { status: isUnderWay ? 'in_progress' : 'queued', conclusion: null }
}

function worst(jobs: readonly Job[]): Conclusion {
  const conclusions = new Set(jobs.map((job) => job.conclusion))
  if (conclusions.has('failure')) return 'failure'
  return conclusions.has('cancelled') ? 'cancelled' : 'success'
}
