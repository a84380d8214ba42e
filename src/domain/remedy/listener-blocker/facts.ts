import type { ObjectRef } from '../../snapshot/index.ts'
import type { Plan } from '../plan.ts'
import type { ForgeReading } from '../reading.ts'
import type { RunnerFacts, RunnerTarget } from '../runner/facts.ts'

export interface ListenerBlockerScope {
  readonly sets: readonly ObjectRef[]
  /** UIDs of all runners that were there when it was planned: another was made since. */
  readonly known: readonly string[]
}

export type ListenerBlockerPlan = Plan<'listener-blocker', ListenerBlockerScope, RunnerTarget>

/** The facts of `fix listener-blocker`: the forge is asked about every runner that keeps the listener away. */
export interface ListenerBlockerFacts extends RunnerFacts {
  readonly plan: ListenerBlockerPlan
  readonly fresh: RunnerFacts['fresh'] & {
    /** The word of the forge about each runner of the set, by its name. */
    readonly answers: Readonly<Record<string, ForgeReading>>
  }
}
