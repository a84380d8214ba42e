import type { Rule } from '../rule.ts'
import { disownedRun } from './disowned-run.ts'
import { foreignClaim } from './foreign-claim.ts'
import { hostLost } from './host-lost.ts'
import { jobDeadline } from './job-deadline.ts'
import { nodeLost, stuckStart, stuckTerminating } from './lost-runner.ts'
import { missedEnd, staleQueued } from './missed-word.ts'
import { orphanedRunner } from './orphaned-runner.ts'
import { runnerWithoutAttempt, vanishedRunner } from './runner-without-attempt.ts'
import { runningWithoutRunner } from './running-without-runner.ts'
import { silentRunner } from './silent-runner.ts'
import { staleClaim } from './stale-claim.ts'

type AnyRule = Rule<'attempt'> | Rule<'job'> | Rule<'runner'>

/** All rules, in the order in which they are asked. */
export const rules: readonly AnyRule[] = [
  runningWithoutRunner,
  staleClaim,
  foreignClaim,
  orphanedRunner,
  missedEnd,
  disownedRun,
  staleQueued,
  hostLost,
  vanishedRunner,
  nodeLost,
  stuckStart,
  stuckTerminating,
  jobDeadline,
  silentRunner,
  runnerWithoutAttempt,
]
