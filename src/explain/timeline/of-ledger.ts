import { timelineSentenceOf, withoutEchoes } from '../../api/index.ts'
import { runnerNameOf } from '../../domain/attempt/index.ts'
import type { Job } from '../../domain/job/index.ts'
import { beganEntries, overEntries, queuedEntries, type TimelineEntry } from '../../domain/timeline/index.ts'
import type { TimelineRow } from '../../ports/ledger.ts'

/** The ledger's timeline in sentences, without the rows that repeat another. */
export function ledgerEntries(rows: readonly TimelineRow[]): TimelineEntry[] {
  const once = [...new Map(rows.map((row) => [row.id, row])).values()].sort((a, b) => a.id - b.id)
  return withoutEchoes(once).map((row) => ({
    at: row.at,
    source: 'ledger',
    text: `${timelineSentenceOf(row)} (${row.rule === null ? row.source : `${row.source}, ${row.rule}`})`,
  }))
}

/** The job's times by the forge's clock. */
export function forgeEntries(job: Job | null): TimelineEntry[] {
  if (job === null) return []
  return [
    ...queuedEntries(job.forgeQueuedAt),
    ...beganEntries(job.forgeStartedAt, job.executor === null ? null : runnerNameOf(job.executor)),
    ...overEntries(job.forgeCompletedAt, job.conclusion),
  ]
}
