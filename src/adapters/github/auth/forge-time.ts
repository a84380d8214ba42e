import type { Instant } from '../../../domain/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Answer } from '../transport/call.ts'

/** Clocks that differ by less are taken to agree: the header has whole seconds, and answers take time. */
const AGREE_MS = 10_000

/** The forge's time as far as it must be known: an App's own word is refused where our clock is wrong by a minute. */
export interface ForgeTime {
  now(): Instant
  /** Learns from a refusal; true: our clock was off by something that we did not know. */
  readonly isNews: (answer: Answer) => boolean
}

/** Ours until the forge refuses us and its `Date` says something else. */
export function createForgeTime(clock: Pick<Clock, 'now'>): ForgeTime {
  let aheadMs = 0
  return {
    now: () => clock.now() + aheadMs,
    isNews(answer) {
      const seenMs = aheadMsOf(answer)
      if (Math.abs(seenMs - aheadMs) < AGREE_MS) return false
      aheadMs = seenMs
      return true
    },
  }
}

/** By how much the forge's clock is ahead of ours, by the `Date` of its answer; 0 where it tells none. */
export function aheadMsOf({ headers, at }: Pick<Answer, 'headers' | 'at'>): number {
  const date = Date.parse(headers.get('date') ?? '')
  const aheadMs = Number.isNaN(date) ? 0 : date - at
  return Math.abs(aheadMs) < AGREE_MS ? 0 : aheadMs
}
