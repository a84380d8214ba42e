/** The runners of a pool during a rollout of a new template. */
export interface RollNeed {
  /** Idle runners made from what was before. */
  readonly oldPolling: number
  /** Booting and polling ones, old and new. */
  readonly idle: number
  /** Booting ones, old and new. */
  readonly booting: number
  /** Fenced and not gone yet. */
  readonly leaving: number
  /** Wanted and not begun yet: perhaps instead of one that just left. */
  readonly missing: number
  readonly maxConcurrentPercent: number
}

/**
 * How many idle old runners may go now: a share of the idle ones, less those that are on their way out or in. So
 * they go at the pace at which new ones become ready, and where new ones do not get ready the old ones stay.
 */
export function planRoll(need: RollNeed): number {
  const share = Math.max(1, Math.floor((need.idle * need.maxConcurrentPercent) / 100))
  const underWay = need.booting + need.leaving + need.missing
  return Math.max(0, Math.min(need.oldPolling, share - underWay))
}
