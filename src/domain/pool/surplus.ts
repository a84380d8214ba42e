import type { Instant } from '../time.ts'

/** Since when at least so many runners have been too many. Rising in both. */
export interface SurplusLevel {
  readonly count: number
  readonly since: Instant
}

/** More steps than this are told apart less finely; then some runners stay a little longer. */
const levelsMax = 64

/** Updates the levels with a new count: levels above it are dropped, and a new highest level begins now. */
export function trackSurplus(
  levels: readonly SurplusLevel[],
  surplus: number,
  now: Instant,
): readonly SurplusLevel[] {
  if (surplus === 0) return []
  const kept = levels.filter(({ count }) => count < surplus)
  const reached = levels.find(({ count }) => count >= surplus)
  const tracked = [...kept, { count: surplus, since: reached?.since ?? now }]
  return tracked.length > levelsMax ? [...tracked.slice(0, -2), ...tracked.slice(-1)] : tracked
}

/** How many have been too many for the whole of the time. */
export function sustainedSurplus(
  levels: readonly SurplusLevel[],
  idleTimeoutMs: number,
  now: Instant,
): number {
  return levels.findLast(({ since }) => now - since >= idleTimeoutMs)?.count ?? 0
}

/** When more of them will have been; null where none are too many that are not already. */
export function nextSurplusAt(
  levels: readonly SurplusLevel[],
  idleTimeoutMs: number,
  now: Instant,
): Instant | null {
  const next = levels.find(({ since }) => now - since < idleTimeoutMs)
  return next === undefined ? null : next.since + idleTimeoutMs
}
