import type { Context } from './context.ts'
import { dismiss } from './dismiss.ts'
import type { Instant, Job, Runner } from './model.ts'
import { conclude } from './workflow.ts'

interface Deadline {
  readonly at: Instant
  readonly act: () => void
}

/** Moves the forge's time: what is due by then happens in order, each at its own time. A clock that goes back is ignored. */
export function advance(context: Context, now: Instant): void {
  const { store } = context
  for (;;) {
    const next = earliest(context)
    if (next === undefined || next.at > now) break
    store.now = Math.max(store.now, next.at)
    next.act()
  }
  store.now = Math.max(store.now, now)
}

/** When something happens by itself next; null: never, unless somebody acts. */
export function nextDeadline(context: Context): Instant | null {
  return earliest(context)?.at ?? null
}

function earliest(context: Context): Deadline | undefined {
  let first: Deadline | undefined
  for (const id of context.store.live) {
    const deadline = deadlineOf(context, context.store.runners.get(id) as Runner)
    if (first === undefined || deadline.at < first.at) first = deadline
  }
  return first
}

function deadlineOf(context: Context, runner: Runner): Deadline {
  const { offlineAfterMs, lostAfterMs, offlineRemovedAfterMs } = context.delays
  if (runner.state === 'online' && (runner.jobId === null || offlineAfterMs < lostAfterMs)) {
    return {
      at: runner.seenAt + offlineAfterMs,
      act: () => context.store.put('runners', { ...runner, state: 'offline' }),
    }
  }
  if (runner.jobId !== null) {
    return { at: runner.seenAt + lostAfterMs, act: () => loseRunner(context, runner) }
  }
  return {
    at: runner.seenAt + offlineRemovedAfterMs,
    act: () => dismiss(context, runner, 'offline for too long'),
  }
}

function loseRunner(context: Context, runner: Runner): void {
  const job = context.store.jobs.get(runner.jobId as number) as Job
  dismiss(context, runner, 'lost communication')
  conclude(context, job, 'failure', 'lost-communication')
}
