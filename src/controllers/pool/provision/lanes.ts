import { startPauseMs, type Trouble } from '../../../domain/pool/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { Instant } from '../../../domain/time.ts'

/** A runner that has its row and is to be started. */
export interface PendingStart {
  readonly runner: Pick<Runner, 'id' | 'name' | 'pool'>
  readonly secret: string
  /** After it the runner is given up. */
  readonly deadline: Instant
  /** Until then nobody can have ended it: its boot deadline is far off. Afterwards its row says whether it is to be. */
  readonly freshUntil: Instant
  /** Somebody may have started it before: then its row says it too. */
  readonly mayExist: boolean
}

/** The starts of one pool: those that wait, and how the last ones went. */
export interface Lane {
  readonly pool: string
  waiting: PendingStart[]
  /** With so few left it is time for more. */
  tellAt: number
  activeCount: number
  /** In a row; while there are any, one start at a time is tried. */
  failureCount: number
  pausedUntil: Instant
  /** What the failed starts were made from. */
  template: string | null
  trouble: Trouble | null
}

/** Starts of a pool that may wait (I10): what is enrolled and not started is what a crash leaves behind. */
export const startsWaitingMax = 400
/** More is enrolled when no more than these are left: about a second of starts, so that nobody runs dry. */
const refillAt = startsWaitingMax / 2
/** Fewer than are started at a time are no burst: nobody is called for them. */
const tellMin = 16

export function createLane(pool: string): Lane {
  const none = { failureCount: 0, pausedUntil: 0, template: null, trouble: null }
  return { pool, waiting: [], tellAt: -1, activeCount: 0, ...none }
}

/** Adds starts; more are asked for when half of what waits then is left. */
export function fill(lane: Lane, starts: readonly PendingStart[]): void {
  lane.waiting.push(...starts)
  const half = Math.min(refillAt, lane.waiting.length >> 1)
  lane.tellAt = half < tellMin ? -1 : half
}

/** Whether the next start of the lane may begin. */
export function isReady(lane: Lane, now: Instant): boolean {
  if (lane.waiting.length === 0) return false
  return lane.failureCount === 0 || (lane.activeCount === 0 && !isPaused(lane, now))
}

/** Whether nothing is to be remembered of it. */
export function isSpent(lane: Lane): boolean {
  return lane.waiting.length + lane.activeCount + lane.failureCount === 0
}

export function isPaused(lane: Lane, now: Instant): boolean {
  return lane.failureCount > 0 && now < lane.pausedUntil
}

/** How many more starts the lane takes: one to try where the last failed, else enough to keep going. */
export function allowanceOf(lane: Lane | undefined, now: Instant): number {
  if (lane === undefined) return startsWaitingMax
  if (lane.failureCount > 0) return lane.waiting.length + lane.activeCount > 0 || isPaused(lane, now) ? 0 : 1
  return lane.waiting.length > refillAt ? 0 : startsWaitingMax - lane.waiting.length
}

/** The next start waits for a while, longer after each failure. Those that fail together are one failure. */
export function pause(
  lane: Lane,
  failure: { readonly template: string | null; readonly trouble: Trouble | null },
  now: Instant,
  fraction: number,
): void {
  if (!isPaused(lane, now)) {
    lane.failureCount += 1
    lane.pausedUntil = now + startPauseMs(lane.failureCount, fraction)
  }
  lane.template = failure.template
  lane.trouble = failure.trouble ?? lane.trouble
}

/** Another template may do: it is tried at once, by one start. False where it is the same. */
export function tryAnew(lane: Lane, template: string | null, now: Instant): boolean {
  if (lane.failureCount === 0 || lane.template === template) return false
  lane.template = template
  lane.trouble = null
  lane.failureCount = 1
  lane.pausedUntil = now
  return true
}

export function ease(lane: Lane): void {
  lane.failureCount = 0
  lane.trouble = null
}
