import type { Attempt } from '../../domain/attempt/index.ts'
import type { JobAtEnd } from '../../domain/death/index.ts'
import type { Instant } from '../../domain/time.ts'
import { type Item, item } from './item.ts'

/** The forge's last word about the job, and what it was when the record was sealed where that differs. */
export function forgeItems(now: JobAtEnd | null, then: JobAtEnd | null): Item[] {
  const word = now ?? then
  if (word?.forgeStatus == null) return []
  const before = now === null || then === null || wordText(now) === wordText(then) ? '' : wordText(then)
  const changed = before === '' ? '' : ` When the record was sealed it said ${before}.`
  return [item('forge', word.heardAt, `The forge says that the job is ${wordText(word)}.${changed}`)]
}

/** How far the attempt came, from the ledger. */
export function attemptItems(attempt: Attempt | null): Item[] {
  if (attempt === null) return []
  const { state, endReason, endedAt } = attempt
  const reached = reachedBy(attempt)
  const how = endReason === null ? `is ${state}` : `ended (${endReason})`
  return [item('ledger', endedAt ?? reached, `Attempt ${attempt.id} ${how}.`)]
}

function wordText({ forgeStatus, conclusion }: JobAtEnd): string {
  const status = (forgeStatus ?? 'unknown').replaceAll('_', ' ')
  return conclusion === null ? status : `${status} (${conclusion})`
}

function reachedBy(attempt: Attempt): Instant {
  const { startedAt, registeredAt, acknowledgedAt, deliveredAt, mintedAt, claimedAt } = attempt
  return startedAt ?? registeredAt ?? acknowledgedAt ?? deliveredAt ?? mintedAt ?? claimedAt
}
