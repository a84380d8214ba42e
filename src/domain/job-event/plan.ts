import { type Attempt, type Handle, isOpenAttempt } from '../attempt/index.ts'
import { isLostBy, type RunnerDeath } from '../death/index.ts'
import { isOpen, type Job } from '../job/index.ts'
import { isLive, type Runner } from '../runner/index.ts'
import type { Change } from './change.ts'
import type { JobEvent } from './job-event.ts'

/** An attempt with its job and runner. */
export interface BoundAttempt {
  readonly attempt: Attempt
  readonly job: Job
  readonly runner: Runner
  /** The sealed death of the runner; null while there is none. */
  readonly death: RunnerDeath | null
}

/** The locked rows of the job and the runner that an event names. */
export interface KnownRows {
  readonly job: Job
  /** The job's open attempt. */
  readonly ofJob: BoundAttempt | null
  /** The newest attempt under the event's runner name, open or ended; null: not a runner of ours. */
  readonly ofRunner: BoundAttempt | null
  /** Whether the runner of `ofRunner` has an open attempt, under whatever name. */
  readonly runnerHasOpenAttempt: boolean
}

/** The inputs of a plan from outside, so that it stays pure. */
export interface PlanContext {
  readonly adoptHandle: Handle
  readonly runningCheckMs: number
}

/**
 * What a job event changes of a known job. Late and repeated events change nothing (I8). The forge
 * assigns jobs by label, so the runner that it names decides to which attempt the job belongs.
 */
export function planJobEvent(known: KnownRows, event: JobEvent, context: PlanContext): Change[] {
  if (!isOpen(known.job)) return []
  if (event.status === 'in_progress') return planStarted(known, event, context)
  if (event.status === 'completed') return planCompleted(known, event, context)
  return []
}

function planStarted(known: KnownRows, event: JobEvent, context: PlanContext): Change[] {
  const { job, ofJob, ofRunner } = known
  if (event.runnerName === null || isOldNews(job, event)) return []
  if (ofRunner !== null && isOpenAttempt(ofRunner.attempt)) {
    if (ofRunner.attempt.deliveredAt === null && ofRunner.attempt.state !== 'minted') return []
    if (ofRunner.job.id === job.id) return [...begin(job, event), ...run(ofRunner, context)]
    return [...swap(ofRunner, known, event), ...begin(job, event), ...run(ofRunner, context)]
  }
  const freed = ofJob === null ? [] : takeAway(ofJob, event)
  if (ofRunner === null || !isLive(ofRunner.runner) || known.runnerHasOpenAttempt) {
    return [...freed, ...begin(job, event)]
  }
  // Its attempt was given up, and it runs all the same: the truth gets an attempt of its own.
  return [
    ...freed,
    ...begin(job, event),
    {
      on: 'adopt',
      jobId: job.id,
      from: ofRunner.attempt,
      handle: context.adoptHandle,
      checkInMs: context.runningCheckMs,
    },
    ...busy(ofRunner.runner),
  ]
}

function isOldNews(job: Job, event: JobEvent): boolean {
  if (job.state !== 'running') return false
  return job.executor === event.runnerName || (event.startedAt ?? 0) < (job.forgeStartedAt ?? 0)
}

/** A job that runs elsewhere is taken back first, so that its new runner can be written. */
function begin(job: Job, event: JobEvent): Change[] {
  const started: Change = {
    on: 'job',
    id: job.id,
    transition: { kind: 'started', executor: event.runnerName as string, forgeStartedAt: event.startedAt },
  }
  return job.state === 'running'
    ? [{ on: 'job', id: job.id, transition: { kind: 'unbound' } }, started]
    : [started]
}

/** R runs B, and its attempt was for A: R's attempt becomes B's; B's former attempt, if any, becomes A's. */
function swap(ofRunner: BoundAttempt, known: KnownRows, event: JobEvent): Change[] {
  const a = ofRunner.job
  const other = known.ofJob
  const toB: Change = { on: 'rebind', id: ofRunner.attempt.id, jobId: known.job.id }
  const free: Change[] = isOpen(a) ? [{ on: 'job', id: a.id, transition: { kind: 'unbound' } }] : []
  if (other === null) return [...free, toB]
  if (!isOpen(a) || other.attempt.state === 'running') return [...takeAway(other, event), ...free, toB]
  const toA: Change = { on: 'rebind', id: other.attempt.id, jobId: a.id }
  return [...free, toA, toB, ...catchUp(a, other.attempt)]
}

/** The job that was set free takes the place that its new attempt has reached. */
function catchUp(job: Job, attempt: Attempt): Change[] {
  const steps: Change[] = [{ on: 'job', id: job.id, transition: { kind: 'claimed' } }]
  if (attempt.deliveredAt !== null) steps.push({ on: 'job', id: job.id, transition: { kind: 'delivered' } })
  if (attempt.registeredAt !== null) steps.push({ on: 'job', id: job.id, transition: { kind: 'registered' } })
  return steps
}

function run(bound: BoundAttempt, context: PlanContext): Change[] {
  if (bound.attempt.state === 'running') return []
  const started: Change = {
    on: 'attempt',
    id: bound.attempt.id,
    transition: { kind: 'started', checkInMs: context.runningCheckMs },
  }
  return [started, ...busy(bound.runner)]
}

function busy(runner: Runner): Change[] {
  if (runner.state === 'busy' || !isLive(runner)) return []
  return [{ on: 'runner', id: runner.id, transition: { kind: 'started' } }]
}

/** The job of an attempt went elsewhere. */
function takeAway(bound: BoundAttempt, event: JobEvent): Change[] {
  return endAttempt(bound, 'takenElsewhere', event)
}

function planCompleted(known: KnownRows, event: JobEvent, context: PlanContext): Change[] {
  const { job, ofJob, ofRunner } = known
  const conclusion = event.conclusion ?? 'unknown'
  const over = (ran: BoundAttempt | null): Change => ({
    on: 'job',
    id: job.id,
    transition: {
      kind: endKind(conclusion, event, job, ran),
      conclusion,
      forgeCompletedAt: event.completedAt,
      ...runBy(event),
    },
  })
  if (ofJob !== null && (event.runnerName === null || ofJob.attempt.forgeRunnerName === event.runnerName)) {
    return [...endAttempt(ofJob, 'finished', event), over(ofJob)]
  }
  if (ofRunner !== null && isOpenAttempt(ofRunner.attempt)) {
    // The event that this runner started it never arrived: the start is made up for, then the end applied.
    const missed = planStarted(known, event, context)
    if (missed.length > 0) return [...missed, ...endAttempt(ofRunner, 'finished', event), over(ofRunner)]
  }
  return [...(ofJob === null ? [] : takeAway(ofJob, event)), over(ofRunner)]
}

function runBy(event: JobEvent) {
  if (event.runnerName === null) return {}
  return { ran: { executor: event.runnerName, forgeStartedAt: event.startedAt } }
}

/**
 * A job is lost where the death of the runner that ran it says so; else the forge's conclusion stands. One that was past its
 * pool's limit is never lost: whatever ended its runner, the job ended as the pool's owner wants it.
 */
function endKind(
  conclusion: string,
  event: JobEvent,
  job: Job,
  by: BoundAttempt | null,
): 'completed' | 'cancelled' | 'lost' {
  const isRunBy = by !== null && by.attempt.forgeRunnerName === (event.runnerName ?? job.executor)
  const end = { conclusion, completedAt: event.completedAt, receivedAt: null }
  const mayBeLost = isRunBy && by.attempt.pastDeadline === undefined
  if (mayBeLost && by.death !== null && isLostBy(by.death, end)) return 'lost'
  return conclusion === 'cancelled' || conclusion === 'skipped' ? 'cancelled' : 'completed'
}

/**
 * What was never delivered leaves its runner free for another job, unless the event itself says that it ran;
 * after delivery the event is the proof (I3).
 */
function endAttempt(bound: BoundAttempt, kind: 'finished' | 'takenElsewhere', event: JobEvent): Change[] {
  const { attempt, runner } = bound
  const unused = attempt.deliveredAt === null && event.runnerName !== attempt.forgeRunnerName
  const end: Change = {
    on: 'attempt-end',
    id: attempt.id,
    kind,
    proof: { kind: 'forge-word', record: event },
  }
  const free: Change[] =
    unused && runner.state === 'claimed'
      ? [{ on: 'runner', id: runner.id, transition: { kind: 'released' } }]
      : []
  return [end, ...free]
}
