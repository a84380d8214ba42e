import type { Context } from './context.ts'
import { dismiss } from './dismiss.ts'
import type { Instant, Job, Runner } from './model.ts'
import { conclude } from './workflow.ts'

/** Moves the forge's time: what is due by then happens in order, each at its own time. A clock that goes back is ignored. */
export function advance(context: Context, now: Instant): void {
  const { store } = context
  for (;;) {
    const runner = earliest(context)
    if (runner === undefined || deadlineOf(context, runner) > now) break
    store.now = Math.max(store.now, deadlineOf(context, runner))
    act(context, runner)
  }
  store.now = Math.max(store.now, now)
}

/** When something happens by itself next; null: never, unless somebody acts. */
export function nextDeadline(context: Context): Instant | null {
  const runner = earliest(context)
  return runner === undefined ? null : deadlineOf(context, runner)
}

/** The runner whose deadline is next. Every step asks this twice: it makes nothing on its way. */
function earliest(context: Context): Runner | undefined {
  let first: Runner | undefined
  let firstAt = Number.POSITIVE_INFINITY
  for (const id of context.store.live) {
    const runner = context.store.runners.get(id) as Runner
    const at = deadlineOf(context, runner)
    if (at >= firstAt) continue
    first = runner
    firstAt = at
  }
  return first
}

function deadlineOf({ delays }: Context, runner: Runner): Instant {
  if (becomesOffline(delays, runner)) return runner.seenAt + delays.offlineAfterMs
  return runner.seenAt + (runner.jobId === null ? delays.offlineRemovedAfterMs : delays.lostAfterMs)
}

function act(context: Context, runner: Runner): void {
  if (becomesOffline(context.delays, runner)) context.store.put('runners', { ...runner, state: 'offline' })
  else if (runner.jobId !== null) loseRunner(context, runner)
  else dismiss(context, runner, 'offline for too long')
}

/** It is shown as offline before it is given up. */
function becomesOffline({ offlineAfterMs, lostAfterMs }: Context['delays'], runner: Runner): boolean {
  return runner.state === 'online' && (runner.jobId === null || offlineAfterMs < lostAfterMs)
}

function loseRunner(context: Context, runner: Runner): void {
  const job = context.store.jobs.get(runner.jobId as number) as Job
  dismiss(context, runner, 'lost communication')
  conclude(context, job, 'failure', 'lost-communication')
}
