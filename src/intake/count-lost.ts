import type { JobEvent } from '../domain/job-event/index.ts'
import type { ApplyResult, JobReader } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'

export interface CountLostDeps {
  readonly ledger: JobReader
  readonly metrics: Pick<Metrics, 'count'>
  readonly log: Pick<Log, 'error'>
}

/**
 * Counts a job that this very event made lost: the ledger has the death of its runner. A job that a death makes lost later
 * is counted by the sealing. It never throws: the event is applied by then, and the caller must not see a failure.
 */
export async function countLost(
  { job }: JobEvent,
  result: ApplyResult,
  { ledger, metrics, log }: CountLostDeps,
): Promise<void> {
  if (!('isLost' in result)) return
  try {
    const known = await ledger.findJob(job.installation, job.forgeJobId)
    metrics.count('holdfast_jobs_lost_total', { pool: known?.pool ?? 'none' })
  } catch (error) {
    const { repository, runId: run, forgeJobId: forgeJob } = job
    log.error(
      { job: result.jobId, repository, run, forgeJob, err: error },
      'whether a job was lost is not known: it is not counted',
    )
  }
}
