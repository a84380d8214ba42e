import type { Entropy } from '../ports/entropy.ts'

const FIRST_MS = 200
const LONGEST_MS = 5_000
/** A server that asks for more is asked again after this all the same. */
const RETRY_AFTER_MAX_MS = 5 * 60_000

/**
 * How long to wait after so many failures in a row: doubled each time up to a bound, with half of it left to
 * chance, so that the runners of a Holdfast that comes back do not all ask at once.
 */
export function backOffMs(failures: number, retryAfterMs: number | null, entropy: Entropy): number {
  const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20))
  const ownMs = fullMs / 2 + (fullMs / 2) * entropy.fraction()
  return Math.round(Math.max(ownMs, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS)))
}
