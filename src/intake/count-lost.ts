import type { ForgeWord } from '../domain/binding/index.ts'
import type { Heard, Ledger } from '../ports/ledger.ts'
import type { Metrics } from '../ports/metrics.ts'

/** Counts a job that is lost by what the forge said: it failed the job, and the ledger has the death of its runner. */
export async function countLost(
  { job, status, conclusion }: ForgeWord,
  heard: Heard,
  { ledger, metrics }: { readonly ledger: Pick<Ledger, 'findJob'>; readonly metrics: Pick<Metrics, 'count'> },
): Promise<void> {
  if (heard.kind !== 'changed' || status !== 'completed' || conclusion === 'success') return
  const known = await ledger.findJob(job.installation, job.forgeJobId)
  if (known?.state === 'lost') metrics.count('holdfast_jobs_lost_total', { pool: known.pool ?? 'none' })
}
