import { newsOf, timelineView } from '../../api/index.ts'
import type { Job } from '../../domain/job/index.ts'
import type { TimelineRow } from '../../ports/ledger.ts'
import { type Moment, moment } from './moment.ts'

/** What the ledger noted, in words; what another row tells better is left out. */
export function ledgerMoments(rows: readonly TimelineRow[]): Moment[] {
  const once = [...new Map(rows.map((row) => [row.id, row])).values()].sort((a, b) => a.id - b.id)
  return newsOf(once.map(timelineView)).map(({ at, source, rule, sentence }) => ({
    at: Date.parse(at),
    source: 'ledger',
    text: `${sentence} (${rule === null ? source : `${source}, ${rule}`})`,
  }))
}

/** What the forge says happened when, by its own clock. */
export function forgeMoments(job: Job | null): Moment[] {
  if (job === null) return []
  return [
    ...moment(job.forgeQueuedAt, 'forge', 'The job was queued, by the clock of the forge.'),
    ...moment(
      job.forgeStartedAt,
      'forge',
      `The job began${job.executor === null ? '' : ` on ${job.executor}`}, by the clock of the forge.`,
    ),
    ...moment(
      job.forgeCompletedAt,
      'forge',
      `The job was over${job.conclusion === null ? '' : ` (${job.conclusion})`}, by the clock of the forge.`,
    ),
  ]
}
