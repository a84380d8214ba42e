import { isLive } from '../../runner/index.ts'
import type { Action } from '../action.ts'
import { rule } from '../rule.ts'
import type { ForgeJobStatus } from '../view.ts'
import {
  type AttemptSubject,
  calmMs,
  decisiveAgeMs,
  fateOf,
  isTooNewToBeGone,
  lookAgain,
  removeRegistration,
  settledAfterMs,
  uneasyMs,
} from './shared.ts'

/**
 * The forge took the job back, or forgot it, while its runner lives on here and hangs or is cut off. Without this the job
 * would be running here and queued there for ever (I6).
 *
 * In an order in which every step may fail: two answers agree that nobody runs the job, long after its start; the
 * registration is taken away, a write that is judged by the truth, and that ends the list where the runner is busy; then
 * the attempt ends with the forge's word, and the job waits again. The runner is not stopped here: half a minute later
 * `runner-without-attempt` asks the forge once more, fences it and stops it.
 */
export const disownedRun = rule({
  name: 'disowned-run',
  why: 'A job runs here on a live runner, and the forge has it queued or does not know it: nobody runs it for the forge.',
  on: 'attempt',
  needs: { forgeJob: decisiveAgeMs, forgeRunner: decisiveAgeMs },
  without: {
    hosted:
      'the job is given back to the queue, and nothing is stopped: half a minute later `runner-without-attempt` asks the host',
  },
  concerns: ({ attempt, runner }, now) =>
    attempt.state === 'running' && isLive(runner) && now >= attempt.checkAt,
  act: (subject, { forgeJob, forgeRunner, now }) => {
    if (forgeJob === undefined || !isDisowned(forgeJob)) return null
    const { attempt, job } = subject
    if (now < (attempt.startedAt ?? 0) + settledAfterMs) return lookAgain(uneasyMs)
    if (isTooNewToBeGone(subject, forgeJob, now)) return lookAgain(uneasyMs)
    // It works for the forge, maybe on something else: the word about that, or its end, resolves it.
    if (forgeRunner?.kind === 'present' && forgeRunner.busy) return lookAgain(calmMs)
    return [...removeRegistration(job, forgeRunner), end(subject, forgeJob)]
  },
})

/** Whether the forge says that nobody runs the job. */
export function isDisowned(forgeJob: ForgeJobStatus): boolean {
  return forgeJob.kind === 'gone' || (forgeJob.kind === 'known' && forgeJob.word.status === 'queued')
}

function end({ attempt, job }: AttemptSubject, forgeJob: ForgeJobStatus): Action {
  const { installation, forgeJobId, runId, runAttempt, repository, name, labels } = job
  const forgotten = {
    job: { installation, forgeJobId, runId, runAttempt, repository, name, labels },
    status: 'gone',
  } as const
  return {
    kind: 'end-attempt',
    handle: attempt.handle,
    end: 'takenElsewhere',
    evidence: { kind: 'forge-word', record: forgeJob.kind === 'known' ? forgeJob.word : forgotten },
    fate: fateOf(forgeJob),
  }
}
