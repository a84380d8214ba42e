import type { Instant } from '../time.ts'
import type { Attempt } from './attempt.ts'

/**
 * Since when an attempt's job has run; null: nobody knows. The forge's own time is the truest, and its clock may be
 * wrong: the job cannot have begun before its runner was made for, nor after the ledger heard of it.
 */
export function ranSince(
  attempt: Pick<Attempt, 'claimedAt' | 'mintedAt' | 'startedAt'>,
  job: { readonly forgeStartedAt: Instant | null },
): Instant | null {
  const heardAt = attempt.startedAt
  if (heardAt === null || job.forgeStartedAt === null) return heardAt
  const madeAt = Math.min(attempt.claimedAt, attempt.mintedAt ?? attempt.claimedAt)
  return Math.min(heardAt, Math.max(madeAt, job.forgeStartedAt))
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Of what is longer nobody counts the smaller unit. */
const SMALLER_MAX = 10

/** How long something ran of how long it may, in the unit of the limit: `59 of 60 min`. */
export function ranOfLimit(ranMs: number, limitMs: number): string {
  const [unitMs, unit] =
    limitMs < SMALLER_MAX * MINUTE_MS
      ? [1_000, 's']
      : limitMs < SMALLER_MAX * HOUR_MS
        ? [MINUTE_MS, 'min']
        : [HOUR_MS, 'h']
  return `${Math.floor(ranMs / unitMs)} of ${Math.round((limitMs / unitMs) * 10) / 10} ${unit}`
}
