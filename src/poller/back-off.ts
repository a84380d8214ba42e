import { type BackOff, backOffMs } from '../domain/back-off/index.ts'
import type { Entropy } from '../ports/entropy.ts'

const backOff: BackOff = { baseMs: 200, capMs: 5_000 }
/** A server that asks for more is polled again after this all the same. */
const retryAfterMaxMs = 5 * 60_000

/**
 * How long a poller waits after so many failures in a row, with jitter: the runners of a Holdfast that comes back
 * must not all poll at once. A server's Retry-After is a minimum, up to a bound.
 */
export function retryDelayMs(failures: number, retryAfterMs: number | null, entropy: Entropy): number {
  const ownMs = backOffMs(backOff, failures, entropy.fraction())
  return Math.round(Math.max(ownMs, Math.min(retryAfterMs ?? 0, retryAfterMaxMs)))
}
