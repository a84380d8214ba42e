import { ranOfLimit, ranSince } from '../../attempt/index.ts'
import type { Instant } from '../../time.ts'
import type { Action } from '../action.ts'
import { rule } from '../rule.ts'
import type { Subject } from '../view.ts'
import { calmMs, decisiveAgeMs, isRunBy, lookAgain, uneasyMs } from './shared.ts'

/** A forge lets a job that is cancelled run its clean-up for so long, GitHub for five minutes, and ends it then. */
const cancelledWithinMs = 6 * 60_000
/** Where the forge does not cancel: between the note that the job is past its deadline and its runner's stop. */
const uncancelledGraceMs = 30_000

type RunnerSubject = Extract<Subject, { kind: 'runner' }>

/**
 * The owner of a pool may say how long a job runs there at most (`maxJobSeconds`). It is the one rule that stops a runner
 * which is at work, and it holds on two facts: the limit that a person set, and a start that is known and longer ago. The
 * forge goes first, because it can end the job in order: it is asked to cancel, and only where the job still runs on this
 * runner by the forge's word when the time for that is over, or where it does not cancel, is the runner stopped.
 */
export const jobDeadline = rule({
  name: 'job-deadline',
  why: "A job has run for longer than its runner's pool allows: the forge is asked to cancel it, then the runner is stopped.",
  on: 'runner',
  hosted: {
    atMostMsOld: decisiveAgeMs,
    holds: (hosted) =>
      hosted.kind === 'running' && hosted.leavingSince === null && hosted.silentSince === null,
  },
  needs: { hosted: decisiveAgeMs, forgeJob: decisiveAgeMs },
  without: {
    forgeRunner: 'the forge says of the job itself that it runs on this runner, and its owner set the limit',
  },
  concerns: (subject, now) => now >= deadlineOf(subject),
  act: (subject, { forgeJob, now }) => {
    const { last, runner, maxJobMs = 0 } = subject
    if (last === null || forgeJob === undefined) return null
    if (forgeJob.kind === 'known' && forgeJob.word.status === 'completed') {
      return [{ kind: 'hear', word: forgeJob.word }]
    }
    // Queued, gone, or another's: that nobody runs it here for the forge is resolved by other rules.
    if (!isRunBy(forgeJob, last.attempt.forgeRunnerName)) return null
    const { pastDeadline: noted } = last.attempt
    if (noted === undefined || noted.cancel === null) return askToCancel(subject, now)
    const graceMs = noted.cancel === 'done' ? cancelledWithinMs : uncancelledGraceMs
    const leftMs = noted.at + graceMs - now
    if (leftMs > 0) return lookAgain(Math.min(leftMs, uneasyMs))
    const ranMs = now - (ranSince(last.attempt, last.job) ?? now)
    const reason = `its job ran for ${ranOfLimit(ranMs, maxJobMs)}, which is as long as its pool lets one run`
    return [
      { kind: 'stop-runner', runnerName: runner.name, reason, evenIfStarted: true },
      { kind: 'look-again', inMs: calmMs },
    ]
  },
})

/** When the job of a runner will have run for too long; never, where there is no limit, or no start that is known. */
export function deadlineOf({ hasOpenAttempt, last, maxJobMs }: RunnerSubject): Instant {
  if (!hasOpenAttempt || maxJobMs === undefined || last?.attempt.state !== 'running') return never
  const since = ranSince(last.attempt, last.job)
  return since === null ? never : since + maxJobMs
}

const never = Number.POSITIVE_INFINITY

/** Noted first: whatever ends the runner from here on, its record says that the deadline was past. */
function askToCancel({ last, maxJobMs = 0 }: RunnerSubject, now: Instant): readonly Action[] {
  if (last === null) return []
  const { attempt, job } = last
  const { installation, repository, runId } = job
  const { handle } = attempt
  const limitMs = maxJobMs
  const ranMs = now - (ranSince(attempt, job) ?? now)
  return [
    { kind: 'note-past-deadline', handle, limitMs, ranMs },
    { kind: 'cancel-run', handle, limitMs, ranMs, installation, repository, runId },
    { kind: 'look-again', inMs: uneasyMs },
  ]
}
