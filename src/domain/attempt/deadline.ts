import type { Instant } from '../time.ts'
import type { Attempt } from './attempt.ts'

/**
 * Since when an attempt's job has run; null where that is not known. The forge's time is the best source, but its clock may
 * be wrong: a job cannot start before its runner was claimed, nor after the ledger received the event.
 */
export function ranSince(
  attempt: Pick<Attempt, 'claimedAt' | 'mintedAt' | 'startedAt'>,
  job: { readonly forgeStartedAt: Instant | null },
): Instant | null {
  const startedAt = attempt.startedAt
  if (startedAt === null || job.forgeStartedAt === null) return startedAt
  const madeAt = Math.min(attempt.claimedAt, attempt.mintedAt ?? attempt.claimedAt)
  return Math.min(startedAt, Math.max(madeAt, job.forgeStartedAt))
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** Of what is longer nobody counts the smaller unit. */
const smallerMax = 10

/** How long something ran of how long it may, in the unit of the limit: `59 of 60 min`. */
export function ranOfLimit(ranMs: number, limitMs: number): string {
  const [unitMs, unit] =
    limitMs < smallerMax * minuteMs
      ? [1_000, 's']
      : limitMs < smallerMax * hourMs
        ? [minuteMs, 'min']
        : [hourMs, 'h']
  return `${Math.floor(ranMs / unitMs)} of ${Math.round((limitMs / unitMs) * 10) / 10} ${unit}`
}
