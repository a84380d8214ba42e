import type { ObjectRef } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { Plan, PlannedObject } from '../plan.ts'
import type { SetReading } from '../reading.ts'
import type { RemedyFacts } from '../remedy.ts'

export interface OutdatedScope {
  readonly sets: readonly ObjectRef[]
  /** Images behind whose tag, as the operator says, a newer runner stands now. */
  readonly renewed: readonly string[]
}

/** A set that ARC has taken down and leaves so. */
interface OutdatedTarget extends PlannedObject {
  readonly kind: 'AutoscalingRunnerSet'
}

export type OutdatedPlan = Plan<'outdated', OutdatedScope, OutdatedTarget>

/** The facts of `fix outdated`, from the cluster alone: the set has no runner that could have a job. */
export interface OutdatedFacts extends RemedyFacts {
  readonly plan: OutdatedPlan
  readonly fresh: { readonly sources: { readonly cluster: Instant }; readonly reading: SetReading }
  readonly after: { readonly reading: SetReading }
  readonly end: { readonly reading: SetReading }
}
