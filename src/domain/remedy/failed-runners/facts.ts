import type { ObjectRef } from '../../snapshot/index.ts'
import type { Plan } from '../plan.ts'
import type { RunnerFacts, RunnerTarget } from '../runner/facts.ts'

export interface FailedRunnersScope {
  readonly sets: readonly ObjectRef[]
  /** Failed runners that were there when it was planned, as `namespace/name`: another is a new failure. */
  readonly known: readonly string[]
}

export type FailedRunnersPlan = Plan<'failed-runners', FailedRunnersScope, RunnerTarget>

/** The facts of `fix failed-runners`, from cluster and forge. */
export interface FailedRunnersFacts extends RunnerFacts {
  readonly plan: FailedRunnersPlan
}
