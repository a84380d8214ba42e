import { type StartProblem, startPauseMs } from '../../../domain/pool/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { Instant } from '../../../domain/time.ts'

/** A runner that has its row and is to be started. */
export interface PendingStart {
  readonly runner: Pick<Runner, 'id' | 'name' | 'pool'>
  readonly secret: string
  /** After this time the runner is given up. */
  readonly deadline: Instant
  /** Until this time nothing can have ended the runner: its boot deadline is far off. Afterwards its row is read. */
  readonly freshUntil: Instant
  /** The runner may have been started before: its row is read first. */
  readonly mayExist: boolean
}

/** The queued starts of one pool, with its back-off. */
export interface StartQueue {
  readonly pool: string
  waiting: PendingStart[]
  /** More starts are requested when this few are left. */
  refillAt: number
  activeCount: number
  /** Consecutive failures; while there are any, one start at a time is tried. */
  failureCount: number
  pausedUntil: Instant
  /** The template of the failed starts. */
  template: string | null
  problem: StartProblem | null
}

/** Starts of a pool that may be queued (I10): a crash leaves runners that are enrolled and not started. */
const startsWaitingMax = 400
/** More runners are enrolled when this few are left: about a second of starts, so that no pool runs dry. */
const refillAtMax = startsWaitingMax / 2
/** Fewer than are started at a time are no burst: no more are requested. */
const refillAtMin = 16

export function createStartQueue(pool: string): StartQueue {
  const none = { failureCount: 0, pausedUntil: 0, template: null, problem: null }
  return { pool, waiting: [], refillAt: -1, activeCount: 0, ...none }
}

/** Adds starts; more are requested when half of the queue is left. */
export function fill(queue: StartQueue, starts: readonly PendingStart[]): void {
  queue.waiting.push(...starts)
  const half = Math.min(refillAtMax, queue.waiting.length >> 1)
  queue.refillAt = half < refillAtMin ? -1 : half
}

/** Whether the next start of the queue may begin. */
export function isReady(queue: StartQueue, now: Instant): boolean {
  if (queue.waiting.length === 0) return false
  return queue.failureCount === 0 || (queue.activeCount === 0 && !isPaused(queue, now))
}

/** Whether the queue may be dropped. */
export function isIdle(queue: StartQueue): boolean {
  return queue.waiting.length + queue.activeCount + queue.failureCount === 0
}

function isPaused(queue: StartQueue, now: Instant): boolean {
  return queue.failureCount > 0 && now < queue.pausedUntil
}

/** How many more starts the queue takes: one to try after a failure, otherwise enough to keep going. */
export function allowanceOf(queue: StartQueue | undefined, now: Instant): number {
  if (queue === undefined) return startsWaitingMax
  if (queue.failureCount > 0)
    return queue.waiting.length + queue.activeCount > 0 || isPaused(queue, now) ? 0 : 1
  return queue.waiting.length > refillAtMax ? 0 : startsWaitingMax - queue.waiting.length
}

/** Backs off before the next start. Starts that fail together are one failure. */
export function backOff(
  queue: StartQueue,
  failure: { readonly template: string | null; readonly problem: StartProblem | null },
  now: Instant,
  fraction: number,
): void {
  if (!isPaused(queue, now)) {
    queue.failureCount += 1
    queue.pausedUntil = now + startPauseMs(queue.failureCount, fraction)
  }
  queue.template = failure.template
  queue.problem = failure.problem ?? queue.problem
}

/** Retries at once with one start after the template changed. False where it is the same. */
export function retryOnNewTemplate(queue: StartQueue, template: string | null, now: Instant): boolean {
  if (queue.failureCount === 0 || queue.template === template) return false
  queue.template = template
  queue.problem = null
  queue.failureCount = 1
  queue.pausedUntil = now
  return true
}

export function reset(queue: StartQueue): void {
  queue.failureCount = 0
  queue.problem = null
}
