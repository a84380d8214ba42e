import type { ObjectRef } from '../../snapshot/index.ts'
import type { Plan } from '../plan.ts'
import type { JobReading, JobRef } from '../reading.ts'
import type { RunnerFacts, RunnerTarget } from '../runner/facts.ts'

export interface HandoffScope {
  readonly sets: readonly ObjectRef[]
  /** Where the next job waits; null: in any repository of the set's scope. */
  readonly repository: string | null
  /** A shorter wait is an ordinary start. */
  readonly minWaitMs: number
  /** Runners in which the operator looked, and saw no Runner.Worker. */
  readonly withoutWorker: readonly string[]
}

/** The runner that keeps the only slot, and the job that waits for it. */
interface HandoffTarget extends RunnerTarget {
  readonly next: JobRef
}

export type HandoffPlan = Plan<'handoff', HandoffScope, HandoffTarget>

/** The facts of `fix handoff`, from cluster and forge. */
export interface HandoffFacts extends RunnerFacts {
  readonly plan: HandoffPlan
  readonly fresh: RunnerFacts['fresh'] & {
    readonly sources: { readonly queue: number }
    readonly next: JobReading
  }
  readonly after: RunnerFacts['after'] & { readonly next: JobReading }
}
