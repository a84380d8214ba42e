import { type Attempt, type Handle, isOpenAttempt } from '../attempt/index.ts'
import { isLostBy, type RunnerDeath } from '../death/index.ts'
import { isOpen, type Job } from '../job/index.ts'
import { isLive, type Runner } from '../runner/index.ts'
import type { Change } from './change.ts'
import type { ForgeWord } from './word.ts'

/** An attempt with its job and runner. */
export interface Bound {
  readonly attempt: Attempt
  readonly job: Job
  readonly runner: Runner
  /** What is sealed of the runner's end; null while it has none. */
  readonly death: RunnerDeath | null
}

/** What the ledger holds, locked, about the job and the runner that a word names. */
export interface Known {
  readonly job: Job
  /** The job's open attempt. */
  readonly ofJob: Bound | null
  /** The newest attempt under the word's runner name, open or ended; null: not a runner of ours. */
  readonly ofRunner: Bound | null
  /** Whether the runner of `ofRunner` has an open attempt, under whatever name. */
  readonly runnerHasOpenAttempt: boolean
}

/** What a plan needs from outside, so that it stays pure. */
export interface HearContext {
  readonly adoptHandle: Handle
  readonly runningCheckMs: number
}

/**
 * What a forge's word about a known job changes. Late and repeated words change nothing (I8). The forge
 * assigns jobs by label, so the runner that it names decides to which attempt the job belongs.
 */
export function planWord(known: Known, word: ForgeWord, context: HearContext): Change[] {
  if (!isOpen(known.job)) return []
  if (word.status === 'in_progress') return planStarted(known, word, context)
  if (word.status === 'completed') return planCompleted(known, word, context)
  return []
}

function planStarted(known: Known, word: ForgeWord, context: HearContext): Change[] {
  const { job, ofJob, ofRunner } = known
  if (word.runnerName === null || isOldNews(job, word)) return []
  if (ofRunner !== null && isOpenAttempt(ofRunner.attempt)) {
    if (ofRunner.attempt.deliveredAt === null && ofRunner.attempt.state !== 'minted') return []
    if (ofRunner.job.id === job.id) return [...begin(job, word), ...run(ofRunner, context)]
    return [...swap(ofRunner, known, word), ...begin(job, word), ...run(ofRunner, context)]
  }
  const freed = ofJob === null ? [] : takeAway(ofJob, word)
  if (ofRunner === null || !isLive(ofRunner.runner) || known.runnerHasOpenAttempt) {
    return [...freed, ...begin(job, word)]
  }
  // Its attempt was given up, and it runs all the same: the truth gets an attempt of its own.
  return [
    ...freed,
    ...begin(job, word),
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

function isOldNews(job: Job, word: ForgeWord): boolean {
  if (job.state !== 'running') return false
  return job.executor === word.runnerName || (word.startedAt ?? 0) < (job.forgeStartedAt ?? 0)
}

/** A job that runs elsewhere is taken back first, so that its new runner can be written. */
function begin(job: Job, word: ForgeWord): Change[] {
  const started: Change = {
    on: 'job',
    id: job.id,
    event: { kind: 'started', executor: word.runnerName as string, forgeStartedAt: word.startedAt },
  }
  return job.state === 'running'
    ? [{ on: 'job', id: job.id, event: { kind: 'unbound' } }, started]
    : [started]
}

/** R runs B, and its attempt was for A: R's attempt becomes B's; B's former attempt, if any, becomes A's. */
function swap(ofRunner: Bound, known: Known, word: ForgeWord): Change[] {
  const a = ofRunner.job
  const other = known.ofJob
  const toB: Change = { on: 'rebind', id: ofRunner.attempt.id, jobId: known.job.id }
  const free: Change[] = isOpen(a) ? [{ on: 'job', id: a.id, event: { kind: 'unbound' } }] : []
  if (other === null) return [...free, toB]
  if (!isOpen(a) || other.attempt.state === 'running') return [...takeAway(other, word), ...free, toB]
  const toA: Change = { on: 'rebind', id: other.attempt.id, jobId: a.id }
  return [...free, toA, toB, ...catchUp(a, other.attempt)]
}

/** The job that was set free takes the place that its new attempt has reached. */
function catchUp(job: Job, attempt: Attempt): Change[] {
  const steps: Change[] = [{ on: 'job', id: job.id, event: { kind: 'claimed' } }]
  if (attempt.deliveredAt !== null) steps.push({ on: 'job', id: job.id, event: { kind: 'delivered' } })
  if (attempt.registeredAt !== null) steps.push({ on: 'job', id: job.id, event: { kind: 'registered' } })
  return steps
}

function run(bound: Bound, context: HearContext): Change[] {
  if (bound.attempt.state === 'running') return []
  const started: Change = {
    on: 'attempt',
    id: bound.attempt.id,
    event: { kind: 'started', checkInMs: context.runningCheckMs },
  }
  return [started, ...busy(bound.runner)]
}

function busy(runner: Runner): Change[] {
  if (runner.state === 'busy' || !isLive(runner)) return []
  return [{ on: 'runner', id: runner.id, event: { kind: 'started' } }]
}

/** The job of an attempt went elsewhere. */
function takeAway(bound: Bound, word: ForgeWord): Change[] {
  return endAttempt(bound, 'takenElsewhere', word)
}

function planCompleted(known: Known, word: ForgeWord, context: HearContext): Change[] {
  const { job, ofJob, ofRunner } = known
  const conclusion = word.conclusion ?? 'unknown'
  const over = (ran: Bound | null): Change => ({
    on: 'job',
    id: job.id,
    event: {
      kind: endKind(conclusion, word, job, ran),
      ...{ conclusion, forgeCompletedAt: word.completedAt, ...runBy(word) },
    },
  })
  if (ofJob !== null && (word.runnerName === null || ofJob.attempt.forgeRunnerName === word.runnerName)) {
    return [...endAttempt(ofJob, 'finished', word), over(ofJob)]
  }
  if (ofRunner !== null && isOpenAttempt(ofRunner.attempt)) {
    // The word that this runner had started it never arrived: it is made up for, then ended.
    const missed = planStarted(known, word, context)
    if (missed.length > 0) return [...missed, ...endAttempt(ofRunner, 'finished', word), over(ofRunner)]
  }
  return [...(ofJob === null ? [] : takeAway(ofJob, word)), over(ofRunner)]
}

function runBy(word: ForgeWord) {
  if (word.runnerName === null) return {}
  return { ran: { executor: word.runnerName, forgeStartedAt: word.startedAt } }
}

/**
 * A job is lost where the death of the runner that ran it says so; else the forge's word stands. One that was past its
 * pool's limit is never lost: whatever ended its runner, the job ended as the pool's owner wants it.
 */
function endKind(
  conclusion: string,
  word: ForgeWord,
  job: Job,
  by: Bound | null,
): 'completed' | 'cancelled' | 'lost' {
  const isRunBy = by !== null && by.attempt.forgeRunnerName === (word.runnerName ?? job.executor)
  const end = { conclusion, completedAt: word.completedAt, heardAt: null }
  const mayBeLost = isRunBy && by.attempt.pastDeadline === undefined
  if (mayBeLost && by.death !== null && isLostBy(by.death, end)) return 'lost'
  return conclusion === 'cancelled' || conclusion === 'skipped' ? 'cancelled' : 'completed'
}

/**
 * What was never delivered leaves its runner free for another job, unless the word itself says that it ran;
 * after delivery the word is the proof (I3).
 */
function endAttempt(bound: Bound, kind: 'finished' | 'takenElsewhere', word: ForgeWord): Change[] {
  const { attempt, runner } = bound
  const unused = attempt.deliveredAt === null && word.runnerName !== attempt.forgeRunnerName
  const end: Change = {
    on: 'attempt-end',
    id: attempt.id,
    kind,
    proof: { kind: 'forge-word', record: word },
  }
  const free: Change[] =
    unused && runner.state === 'claimed' ? [{ on: 'runner', id: runner.id, event: { kind: 'released' } }] : []
  return [end, ...free]
}
