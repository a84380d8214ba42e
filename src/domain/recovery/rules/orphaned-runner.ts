import { isLive } from '../../runner/index.ts'
import { rule } from '../rule.ts'
import {
  calmMs,
  decisiveAgeMs,
  fateOf,
  forgeIsAhead,
  isTooNewToBeGone,
  lookAgain,
  removeRegistration,
  uneasyMs,
} from './shared.ts'

/** A runner that had its JIT and never came up: its job waits in the forge's queue (docs/incidents/runner-never-registered.md). */
export const orphanedRunner = rule({
  name: 'orphaned-runner',
  why: 'A JIT was delivered, its runner did not reach the forge in time, and the forge still has the job queued.',
  on: 'attempt',
  needs: { forgeJob: decisiveAgeMs, forgeRunner: decisiveAgeMs },
  without: {
    hosted:
      'a runner without a registration cannot be given the job: that is taken away first, and `runner-without-attempt` asks the host',
  },
  concerns: ({ attempt, runner }, now) =>
    ['delivered', 'acknowledged', 'registered'].includes(attempt.state) &&
    isLive(runner) &&
    now >= attempt.checkAt,
  act: (subject, { forgeJob, forgeRunner, now }) => {
    const { attempt, job } = subject
    const ahead = forgeIsAhead(subject, forgeJob)
    if (ahead !== null) return ahead
    if (isTooNewToBeGone(subject, forgeJob, now)) return lookAgain(uneasyMs)
    if (forgeRunner?.kind === 'present' && forgeRunner.busy) return lookAgain(uneasyMs)
    if (forgeRunner?.kind === 'present' && forgeRunner.online) {
      const inOrder = lookAgain(calmMs)
      return attempt.state === 'registered'
        ? inOrder
        : [{ kind: 'mark-registered', handle: attempt.handle }, ...inOrder]
    }
    return [
      ...removeRegistration(job, forgeRunner),
      {
        kind: 'end-attempt',
        handle: attempt.handle,
        end: attempt.state === 'registered' ? 'runnerGone' : 'neverRegistered',
        evidence: {
          kind: 'never-registered',
          record: {
            deliveredAt: attempt.deliveredAt,
            deadlineAt: attempt.checkAt,
            decidedAt: now,
            forgeJob: forgeJob?.kind === 'known' ? forgeJob.word.status : 'gone',
            forgeRunner: forgeRunner?.kind ?? 'unknown',
          },
        },
        fate: fateOf(forgeJob),
      },
    ]
  },
})
