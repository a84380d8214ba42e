import type { JobFate } from '../../job-event/index.ts'
import { isLive } from '../../runner/index.ts'
import type { Action } from '../action.ts'
import { rule } from '../rule.ts'
import {
  type AttemptSubject,
  fateOf,
  forgeGivesUpMs,
  forgeIsAhead,
  isTooNewToBeGone,
  lookAgain,
  readLagMs,
  removeRegistration,
  uneasyMs,
} from './shared.ts'

/** The runner's death is sealed and its attempt is open: the forge says what became of the job. */
export const runningWithoutRunner = rule({
  name: 'running-without-runner',
  why: 'The runner of a delivered job ended, and its death is on record; the job must not stay open behind it.',
  on: 'attempt',
  needs: { forgeJob: 10_000, forgeRunner: 10_000 },
  without: { hosted: 'its end is on record: the host said what it knew when it was sealed' },
  concerns: ({ attempt, runner }) =>
    attempt.deliveredAt !== null && !isLive(runner) && runner.evidenceId !== null,
  // By then the forge's answers have the runner's last report; mostly its webhook has arrived.
  waitMs: ({ runner }, now) => (runner.endedAt ?? 0) + readLagMs - now,
  act: (subject, { forgeJob, forgeRunner, now }) => {
    const ahead = forgeIsAhead(subject, forgeJob)
    if (ahead !== null) return ahead
    if (isTooNewToBeGone(subject, forgeJob, now)) return lookAgain(uneasyMs)
    // Two sources must agree: the host that it is dead, and the forge that it is not working.
    if (forgeRunner?.kind === 'present' && (forgeRunner.busy || forgeRunner.online))
      return lookAgain(uneasyMs)
    const started = forgeJob?.kind === 'known' && forgeJob.word.status === 'in_progress'
    // A runner with a job in progress is busy: one of the two answers is old, and the forge may have ended the job.
    if (started && now < (subject.runner.endedAt ?? 0) + forgeGivesUpMs) return lookAgain(uneasyMs)
    // A job that was stopped at its pool's limit is not lost: it ended as its owner configured.
    const over: JobFate = { kind: subject.attempt.pastDeadline === undefined ? 'lost' : 'past-deadline' }
    const fate: JobFate = started ? over : fateOf(forgeJob)
    return [...removeRegistration(subject.job, forgeRunner), end(subject, fate)]
  },
})

function end({ attempt, runner }: AttemptSubject, fate: JobFate): Action {
  return {
    kind: 'end-attempt',
    handle: attempt.handle,
    end: 'runnerGone',
    evidence: { kind: 'stored', evidenceId: runner.evidenceId as number },
    fate,
  }
}
