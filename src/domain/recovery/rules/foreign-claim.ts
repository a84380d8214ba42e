import { isLive } from '../../runner/index.ts'
import { rule } from '../rule.ts'

/** The forge was changed in the settings while a job of the one before was claimed. */
export const foreignClaim = rule({
  name: 'foreign-claim',
  why: 'A job of a forge installation that is not served any more holds a runner, and nothing was delivered: the runner is free for others, and the job waits for its own forge.',
  on: 'attempt',
  apart: 'foreign',
  // No forge is asked: ours does not know the job. What was never delivered nobody can run, so nothing is lost by it.
  needs: {},
  without: {
    hosted: 'nothing was delivered: no program can run the job',
    forgeJob: 'its forge is not the one that is served and cannot be asked',
    forgeRunner: 'its forge is not the one that is served and cannot be asked',
  },
  concerns: ({ attempt, runner }, now) =>
    (attempt.state === 'claimed' || attempt.state === 'minted') &&
    (now >= attempt.checkAt || !isLive(runner)),
  act: ({ attempt }) => [
    {
      kind: 'end-attempt',
      handle: attempt.handle,
      end: 'claimExpired',
      evidence: null,
      fate: { kind: 'requeue', delayMs: 0 },
    },
  ],
})
