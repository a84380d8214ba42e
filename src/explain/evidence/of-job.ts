import type { Attempt } from '../../domain/attempt/index.ts'
import type { JobReport } from '../../domain/death/index.ts'
import type { Instant } from '../../domain/time.ts'
import { type EvidenceItem, evidenceItem } from './item.ts'

/** The job's status at the forge, and its status when the record was sealed where that was another. */
export function forgeItems(now: JobReport | null, then: JobReport | null): EvidenceItem[] {
  const report = now ?? then
  if (report?.forgeStatus == null) return []
  const before = now === null || then === null || reportText(now) === reportText(then) ? '' : reportText(then)
  const changed = before === '' ? '' : ` When the record was sealed it said ${before}.`
  return [
    evidenceItem('forge', report.heardAt, `The forge says that the job is ${reportText(report)}.${changed}`),
  ]
}

/** How far the attempt came, from the ledger. */
export function attemptItems(attempt: Attempt | null): EvidenceItem[] {
  if (attempt === null) return []
  const { state, endReason, endedAt } = attempt
  const reached = reachedBy(attempt)
  const how = endReason === null ? `is ${state}` : `ended (${endReason})`
  return [evidenceItem('ledger', endedAt ?? reached, `Attempt ${attempt.id} ${how}.`)]
}

function reportText({ forgeStatus, conclusion }: JobReport): string {
  const status = (forgeStatus ?? 'unknown').replaceAll('_', ' ')
  return conclusion === null ? status : `${status} (${conclusion})`
}

function reachedBy(attempt: Attempt): Instant {
  const { startedAt, registeredAt, acknowledgedAt, deliveredAt, mintedAt, claimedAt } = attempt
  return startedAt ?? registeredAt ?? acknowledgedAt ?? deliveredAt ?? mintedAt ?? claimedAt
}
