import type { Context } from './context.ts'
import { dismiss } from './dismiss.ts'
import { startElsewhere } from './jobs.ts'
import type { Instant, Job, Runner } from './model.ts'
import { conclude, forceCancel } from './workflow.ts'

/** Moves the forge's time: what is due by then happens in order, each at its own time. A clock that goes back is ignored. */
export function advance(context: Context, now: Instant): void {
  const { store } = context
  for (;;) {
    const runner = earliest(context)
    const job = earliestJob(context)
    const runnerAt = runner === undefined ? Number.POSITIVE_INFINITY : deadlineOf(context, runner)
    const jobAt = job === undefined ? Number.POSITIVE_INFINITY : dueOf(context, job)
    const at = Math.min(runnerAt, jobAt)
    if (at > now) break
    store.now = Math.max(store.now, at)
    if (job !== undefined && jobAt < runnerAt) goOn(context, job)
    else act(context, runner as Runner)
  }
  store.now = Math.max(store.now, now)
}

/** When something happens by itself next; null: never, unless somebody acts. */
export function nextDeadline(context: Context): Instant | null {
  const runner = earliest(context)
  const job = earliestJob(context)
  if (runner === undefined) return job === undefined ? null : dueOf(context, job)
  const jobAt = job === undefined ? Number.POSITIVE_INFINITY : dueOf(context, job)
  return Math.min(deadlineOf(context, runner), jobAt)
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

/** Of those that are queued the first has waited longest. */
function earliestJob(context: Context): Job | undefined {
  const { store } = context
  let first: Job | undefined
  for (const id of store.queued) {
    first = store.jobs.get(id)
    break
  }
  for (const id of store.timed) {
    const job = store.jobs.get(id) as Job
    if (first === undefined || dueOf(context, job) < dueOf(context, first)) first = job
  }
  return first
}

function dueOf({ delays }: Context, job: Job): Instant {
  const ownAt = job.dueAt ?? Number.POSITIVE_INFINITY
  return job.status === 'queued' ? Math.min(ownAt, queuedSince(job) + delays.queuedForMs) : ownAt
}

function queuedSince({ queuedAt, createdAt }: Job): Instant {
  return queuedAt ?? createdAt
}

/** Makes the next transition of a job that the forge does by itself. */
function goOn(context: Context, job: Job): void {
  if (job.status !== 'queued') {
    if (job.cancelledAt === undefined) conclude(context, job, 'success', 'reported')
    else forceCancel(context, job)
  } else if (job.dueAt !== undefined && job.dueAt <= context.store.now) startElsewhere(context, job)
  else conclude(context, job, 'cancelled', 'queued-too-long')
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

/** Queues a job again for another runner, as if none had begun, and announces nothing. */
function takeBack({ store }: Context, job: Job): void {
  const ends = [...job.ends, { at: store.now, cause: 'lost-communication', conclusion: 'failure' } as const]
  store.put('jobs', { ...job, status: 'queued', runnerId: null, runnerName: null, startedAt: null, ends })
}

/** It is shown as offline before it is given up. */
function becomesOffline({ offlineAfterMs, lostAfterMs }: Context['delays'], runner: Runner): boolean {
  return runner.state === 'online' && (runner.jobId === null || offlineAfterMs < lostAfterMs)
}

function loseRunner(context: Context, runner: Runner): void {
  const job = context.store.jobs.get(runner.jobId as number) as Job
  dismiss(context, runner, 'lost communication')
  if (job.cancelledAt !== undefined) conclude(context, job, 'cancelled', 'cancelled')
  else if (context.takesBack) takeBack(context, job)
  else conclude(context, job, 'failure', 'lost-communication')
}
