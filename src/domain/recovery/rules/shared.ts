import { isAwaitingApproval } from '../../job/index.ts'
import { isApproved, type JobFate } from '../../job-event/index.ts'
import type { Runner } from '../../runner/index.ts'
import type { Instant } from '../../time.ts'
import type { Action } from '../action.ts'
import type { ForgeJobStatus, ForgeRunnerStatus, Subject } from '../view.ts'

/** Facts on which something is ended must be this fresh. */
export const decisiveAgeMs = 30_000
/**
 * What a forge answers may lag behind what it did: its reads come from copies. Whatever is ended for good is
 * judged by an answer that is younger than the event it turns on by this much.
 */
export const readLagMs = 5_000
/** A forge ends a job by itself whose runner has not reported for so long, GitHub after some ten minutes. */
export const forgeGivesUpMs = 15 * 60_000
/** A job or a start that is younger than this may be unknown to what answers us, also where clocks differ. */
export const settledAfterMs = 2 * 60_000
/** How long something that is in order is left alone. */
export const calmMs = 60_000
/** How soon something that is out of order, but not provably so, is looked at again. */
export const uneasyMs = 10_000

export type AttemptSubject = Extract<Subject, { kind: 'attempt' }>

export function lookAgain(inMs: number): readonly Action[] {
  return [{ kind: 'look-again', inMs }]
}

/** The actions where the forge's state of the job is ahead of the ledger; otherwise null. */
export function forgeIsAhead(
  subject: Extract<Subject, { kind: 'attempt' | 'job' }>,
  forgeJob: ForgeJobStatus | undefined,
): readonly Action[] | null {
  if (forgeJob === undefined) return null
  if (forgeJob.kind !== 'known') return null
  const { word: event } = forgeJob
  const { job } = subject
  if (event.status === 'completed') return [{ kind: 'hear', word: event }]
  if (isAwaitingApproval(job) && isApproved(event)) return [{ kind: 'hear', word: event }]
  if (event.status === 'in_progress' && event.runnerName !== null) {
    if (job.state !== 'running' || job.executor !== event.runnerName) return [{ kind: 'hear', word: event }]
  }
  // Somebody runs it, and the forge does not say who: nothing may be ended on that.
  if (event.status === 'in_progress' && event.runnerName === null && job.state !== 'running') {
    return lookAgain(uneasyMs)
  }
  return null
}

/** Whether "unknown" may only mean that the forge's answers do not have the job yet. */
export function isTooNewToBeGone(
  { job }: Extract<Subject, { kind: 'attempt' | 'job' }>,
  forgeJob: ForgeJobStatus | undefined,
  now: Instant,
): boolean {
  return forgeJob?.kind === 'gone' && now < job.seenAt + settledAfterMs
}

/** The fate of a job that nobody runs: back into the queue, unless the forge no longer knows it. */
export function fateOf(forgeJob: ForgeJobStatus | undefined): JobFate {
  return forgeJob?.kind === 'gone' ? { kind: 'gone' } : { kind: 'requeue', delayMs: 0 }
}

/** Taking away a registration that exists, before the runner behind it is given up. */
export function removeRegistration(
  job: { readonly installation: string; readonly repository: string },
  forgeRunner: ForgeRunnerStatus | undefined,
): Action[] {
  if (forgeRunner?.kind !== 'present') return []
  const { installation, repository } = job
  return [{ kind: 'remove-registration', installation, repository, forgeRunnerId: forgeRunner.id }]
}

/** Whether a runner of which no attempt is found may have had one all the same: then nobody knows its name at the forge. */
export function mayHaveHadOne(runner: Pick<Runner, 'everClaimed'>): boolean {
  return runner.everClaimed !== false
}

/** Whether the forge says that this runner may be at work, or may be given some. */
export function mayWork(forgeRunner: ForgeRunnerStatus | undefined): boolean {
  return forgeRunner?.kind === 'present' && (forgeRunner.busy || forgeRunner.online)
}

/** Whether the forge says that this runner, by the name it has there, is running the job. */
export function isRunBy(forgeJob: ForgeJobStatus | undefined, forgeRunnerName: string): boolean {
  if (forgeJob?.kind !== 'known' || forgeJob.word.status !== 'in_progress') return false
  return forgeJob.word.runnerName === null || forgeJob.word.runnerName === forgeRunnerName
}
