import { isLive } from '../../runner/index.ts'
import { rule } from '../rule.ts'
import {
  decisiveAgeMs,
  fateOf,
  forgeIsAhead,
  isTooNewToBeGone,
  lookAgain,
  removeRegistration,
  uneasyMs,
} from './shared.ts'

/** A claim that led to no delivery (docs/incidents/runner-never-registered.md). */
export const staleClaim = rule({
  name: 'stale-claim',
  why: 'A job was claimed, nothing was delivered before the deadline or its runner ended: nobody will run it.',
  on: 'attempt',
  // The forge is asked by the runner's name, because a mint whose answer was lost may have succeeded.
  needs: { forgeJob: decisiveAgeMs, forgeRunner: decisiveAgeMs },
  without: { hosted: 'nothing was delivered: no program can run the job' },
  concerns: ({ attempt, runner }, now) =>
    (attempt.state === 'claimed' || attempt.state === 'minted') &&
    (now >= attempt.checkAt || !isLive(runner)),
  act: (subject, { forgeJob, forgeRunner, now }) => {
    const { attempt, job } = subject
    const ahead = forgeIsAhead(subject, forgeJob)
    if (ahead !== null) return ahead
    if (isTooNewToBeGone(subject, forgeJob, now)) return lookAgain(uneasyMs)
    if (forgeRunner?.kind === 'present' && forgeRunner.busy) return lookAgain(uneasyMs)
    return [
      ...removeRegistration(job, forgeRunner),
      {
        kind: 'end-attempt',
        handle: attempt.handle,
        end: 'claimExpired',
        evidence: null,
        fate: fateOf(forgeJob),
      },
    ]
  },
})
