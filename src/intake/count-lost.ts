import type { ForgeWord } from '../domain/binding/index.ts'
import type { Heard, Ledger } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'

export interface CountLostDeps {
  readonly ledger: Pick<Ledger, 'findJob'>
  readonly metrics: Pick<Metrics, 'count'>
  readonly log: Pick<Log, 'error'>
}

/**
 * Counts a job that is lost by this very word: the ledger has the death of its runner. One that a death made lost since is
 * counted by who sealed it. It never throws: the word is heard by then, and whoever heard it must not take that for a failure.
 */
export async function countLost(
  { job }: ForgeWord,
  heard: Heard,
  { ledger, metrics, log }: CountLostDeps,
): Promise<void> {
  if (!('isLost' in heard)) return
  try {
    const known = await ledger.findJob(job.installation, job.forgeJobId)
    metrics.count('holdfast_jobs_lost_total', { pool: known?.pool ?? 'none' })
  } catch (error) {
    const { repository, runId: run, forgeJobId: forgeJob } = job
    log.error(
      { job: heard.jobId, repository, run, forgeJob, err: error },
      'whether a job was lost is not known: it is not counted',
    )
  }
}
