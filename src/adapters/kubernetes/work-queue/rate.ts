import type { Clock } from '../../../ports/clock.ts'

export interface Rate {
  /** Takes one and gives 0, or takes none and gives how long to wait for one. */
  take(): number
}

/** A bucket that fills evenly up to a burst. */
export function createRate(clock: Pick<Clock, 'now'>, perSecondMax: number, burstMax: number): Rate {
  let tokens = burstMax
  let filledAt = clock.now()
  return {
    take() {
      const now = clock.now()
      // A clock that was set back fills nothing, and does not take away either.
      tokens = Math.min(burstMax, tokens + (Math.max(0, now - filledAt) * perSecondMax) / 1_000)
      filledAt = now
      if (tokens >= 1) {
        tokens -= 1
        return 0
      }
      return Math.ceil(((1 - tokens) * 1_000) / perSecondMax)
    },
  }
}
