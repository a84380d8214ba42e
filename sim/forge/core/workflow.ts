import type { Context } from './context.ts'
import { dismiss } from './dismiss.ts'
import { endJob, putRepository, queueJob, skipJob } from './jobs.ts'
import type { Conclusion, EndCause, Job, NewRun, Run, Submitted } from './model.ts'
import { allows, planOf } from './plan.ts'
import { announceRun } from './run-news.ts'
import { jobsOfAttempt, latestOf, runStatus } from './run-status.ts'

/** Somebody pushes: a run, and those of its jobs that need no other are queued. */
export function submit(context: Context, request: NewRun): Submitted {
  const { store } = context
  putRepository(context, request.repository)
  const plan = planOf(request.jobs)
  const run: Run = {
    id: store.nextId('run'),
    repository: request.repository,
    name: request.workflow,
    attempt: 1,
    state: 'pending',
    plan,
    waiting: [...plan.keys()],
    group: request.concurrency?.group ?? null,
    ...(request.event !== undefined && { event: request.event }),
    ...(request.branch !== undefined && { branch: request.branch }),
    ...(request.fork !== undefined && { fork: request.fork }),
    ...(request.actor !== undefined && { actor: request.actor }),
    createdAt: store.now,
    updatedAt: store.now,
  }
  store.put('runs', run)
  enterGroup(context, run, request.concurrency?.cancelInProgress ?? false)
  // One that waits for its turn was requested too.
  announceRun(context, run.id)
  return { runId: run.id, jobIds: jobsOf(context, run.id).map((job) => job.id) }
}

/** The end of a job, and what follows from it for the others of its run. */
export function conclude(context: Context, job: Job, conclusion: Conclusion, cause: EndCause): void {
  endJob(context, job, conclusion, cause)
  if (conclusion === 'failure') failFast(context, job)
  proceed(context, job.runId)
}

/** Somebody cancels a job: its runner learns it when it renews. */
export function cancelJob(context: Context, jobId: number): 'cancelled' | 'absent' | 'over' {
  const job = context.store.jobs.get(jobId)
  if (job === undefined) return 'absent'
  if (job.status === 'completed') return 'over'
  stop(context, job)
  proceed(context, job.runId)
  return 'cancelled'
}

/** Somebody cancels all that is left of a run; what needed it is skipped, unless it runs always. */
export function cancelRun(
  context: Context,
  runId: number,
  isForced = false,
): 'cancelled' | 'absent' | 'over' {
  const { store } = context
  const run = runOf(context, runId)
  if (run === undefined) return 'absent'
  if (isOver(context, run)) return 'over'
  if (run.state === 'pending') {
    store.put('runs', { ...run, state: 'cancelled', waiting: [], updatedAt: store.now })
    announceRun(context, runId)
    return 'cancelled'
  }
  for (const job of jobsOf(context, runId)) if (job.status !== 'completed') stop(context, job, isForced)
  proceed(context, runId)
  return 'cancelled'
}

/** Deletes a completed run: from now on the API knows neither it nor its jobs, and no message is sent. */
export function deleteRun(context: Context, runId: number): 'deleted' | 'absent' | 'running' {
  const run = runOf(context, runId)
  if (run === undefined) return 'absent'
  if (!isOver(context, run)) return 'running'
  context.store.put('runs', { ...run, deletedAt: context.store.now })
  return 'deleted'
}

/** All jobs of a run, of all its attempts. */
export function jobsOf({ store }: Context, runId: number): readonly Job[] {
  return [...(store.jobsOfRun.get(runId) ?? [])].map((id) => store.jobs.get(id) as Job)
}

/** A run that the API knows. */
export function runOf({ store }: Context, runId: number): Run | undefined {
  const run = store.runs.get(runId)
  return run?.deletedAt === undefined ? run : undefined
}

/** A run waits while another of its group is under way; of those that wait, only the newest stays. */
function enterGroup(context: Context, run: Run, isCancelling: boolean): void {
  const { store } = context
  let isBusy = false
  for (const other of groupOf(context, run)) {
    if (other.id === run.id || isOver(context, other)) continue
    if (other.state === 'pending' || isCancelling) cancelRun(context, other.id)
    // A run that is cancelled stays in progress until its runners have reported.
    isBusy ||= !isOver(context, store.runs.get(other.id) as Run)
  }
  // The end of another may have opened it already.
  const current = store.runs.get(run.id) as Run
  if (!isBusy && current.state === 'pending') open(context, current)
}

function groupOf({ store }: Context, { group, repository }: Run): readonly Run[] {
  if (group === null) return []
  const runs = [...(store.runsOf.get(repository) ?? [])].map((id) => store.runs.get(id) as Run)
  return runs.filter((run) => run.group === group)
}

function open(context: Context, run: Run): void {
  context.store.put('runs', { ...run, state: 'open' })
  announceRun(context, run.id)
  proceed(context, run.id)
}

/** Makes every job whose needs are over: queued, or skipped. Then the next run of the group has its turn. */
export function proceed(context: Context, runId: number): void {
  for (;;) {
    const run = context.store.runs.get(runId)
    if (run === undefined || run.state !== 'open') return
    const ready = nextReady(context, run)
    if (ready === undefined) break
    const rest = run.waiting.filter((place) => place !== ready.place)
    context.store.put('runs', { ...run, waiting: rest })
    if (ready.isAllowed) queueJob(context, run, ready.place)
    else skipJob(context, run, ready.place)
  }
  const run = context.store.runs.get(runId) as Run
  if (run.group === null || !isOver(context, run)) return
  const next = groupOf(context, run).find((other) => other.state === 'pending')
  if (next !== undefined) open(context, next)
}

function nextReady(context: Context, run: Run): { place: number; isAllowed: boolean } | undefined {
  if (run.waiting.length === 0) return undefined
  const latest = latestOf(jobsOf(context, run.id))
  for (const place of run.waiting) {
    const { needs = [], when = 'success' } = run.plan[place] ?? {}
    const needed = [...run.plan.keys()].filter((other) => needs.includes(run.plan[other]?.key ?? ''))
    const isReady = needed.every(
      (other) => !run.waiting.includes(other) && latest.get(other)?.status === 'completed',
    )
    const conclusions = needed.map((other) => latest.get(other)?.conclusion ?? null)
    if (isReady) return { place, isAllowed: allows(when, conclusions) }
  }
  return undefined
}

/** One failure in a matrix ends the rest of it. */
function failFast(context: Context, job: Job): void {
  const run = context.store.runs.get(job.runId)
  const planned = run?.plan[job.place]
  if (run === undefined || !planned?.isFailFast) return
  for (const other of jobsOfAttempt(jobsOf(context, run.id), run.attempt)) {
    const isSibling = run.plan[other.place]?.key === planned.key
    if (isSibling && other.status !== 'completed') stop(context, other)
  }
}

/** The end of a job whose runner did not report in time that it has stopped. */
export function forceCancel(context: Context, job: Job): void {
  stop(context, job, true)
  proceed(context, job.runId)
}

/** A runner that has the job is asked to end it; all others end at once. */
function stop(context: Context, job: Job, isForced = false): void {
  const { store, delays } = context
  const runner = store.runners.get(job.runnerId ?? Number.NaN)
  if (job.status === 'in_progress' && runner !== undefined && !isForced) {
    if (job.cancelledAt !== undefined) return
    store.put('jobs', { ...job, cancelledAt: store.now, dueAt: store.now + delays.cancelForcedAfterMs })
    return
  }
  endJob(context, job, 'cancelled', 'cancelled')
  if (runner !== undefined) dismiss(context, runner, 'its one job was cancelled')
}

/** Whether nothing of a run is left to do. */
export function isOver(context: Context, run: Run): boolean {
  return runStatus(run, jobsOf(context, run.id)).status === 'completed'
}
