import type { Plan } from '../plan.ts'
import type { RunnerFacts, RunnerTarget } from '../runner/facts.ts'
import type { ReapArm, ReapScope } from './scope.ts'

/** One runner that a plan removes. */
interface PlannedRunner extends RunnerTarget {
  readonly arm: ReapArm
}

export type ReapPlan = Plan<'reap', ReapScope, PlannedRunner>

/** The facts of `reap`, from cluster and forge. */
export interface ReapFacts extends RunnerFacts {
  readonly plan: ReapPlan
}
