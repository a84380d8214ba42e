import type { ObjectRef, PodFact, RunnerFact } from '../../snapshot/index.ts'
import type { Plan, PlannedObject } from '../plan.ts'
import type { ForgeReading, SetReading } from '../reading.ts'
import type { RemedyFacts } from '../remedy.ts'

/** One runner of ARC that a plan removes. */
export interface RunnerTarget extends PlannedObject {
  readonly kind: 'EphemeralRunner'
  readonly scaleSet: ObjectRef
  /** The organisation or repository whose list of runners has it. */
  readonly forgeScope: string
}

/** The facts of every remedy that removes runners of ARC, from cluster and forge. */
export interface RunnerFacts extends RemedyFacts {
  readonly plan: Plan<string, unknown, RunnerTarget>
  readonly fresh: {
    readonly sources: { readonly cluster: number; readonly forge: number }
    readonly reading: SetReading
    /** Null: it has no pod. */
    readonly pod: PodFact | null
    readonly forge: ForgeReading
  }
  readonly after: {
    /** The object of the planned UID; null: it is gone. */
    readonly runner: RunnerFact | null
    readonly forge: ForgeReading
  }
  readonly end: { readonly reading: SetReading }
}
