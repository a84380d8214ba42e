import type { Instant } from '../../../domain/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ApiResponse } from '../transport/call.ts'

/** A smaller difference counts as none: the header has whole seconds, and answers take time. */
const agreeMs = 10_000

/** The forge's time: an App's JWT is refused where our clock is wrong by a minute. */
export interface ForgeTime {
  now(): Instant
  /** Corrects the time by a refusal's `Date`; true: our clock was off, and a retry is worth it. */
  readonly isNews: (answer: ApiResponse) => boolean
}

/** Starts with our own clock, until the forge refuses us and its `Date` differs. */
export function createForgeTime(clock: Pick<Clock, 'now'>): ForgeTime {
  let aheadMs = 0
  return {
    now: () => clock.now() + aheadMs,
    isNews(answer) {
      const seenMs = aheadMsOf(answer)
      if (Math.abs(seenMs - aheadMs) < agreeMs) return false
      aheadMs = seenMs
      return true
    },
  }
}

/** By how much the forge's clock is ahead of ours, by the `Date` of its answer; 0 where it has none. */
export function aheadMsOf({ headers, at }: Pick<ApiResponse, 'headers' | 'at'>): number {
  const date = Date.parse(headers.get('date') ?? '')
  const aheadMs = Number.isNaN(date) ? 0 : date - at
  return Math.abs(aheadMs) < agreeMs ? 0 : aheadMs
}
