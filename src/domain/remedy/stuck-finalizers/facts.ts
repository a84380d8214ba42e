import type { ObjectRef } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { Plan } from '../plan.ts'
import type { RunnerFacts, RunnerTarget } from '../runner/facts.ts'

export interface StuckFinalizersScope {
  readonly sets: readonly ObjectRef[]
  /** A younger deletion is an ordinary one. */
  readonly minAgeMs: number
}

export type StuckFinalizersPlan = Plan<'stuck-finalizers', StuckFinalizersScope, RunnerTarget>

/** The forge's answer to the credential with which ARC removes runners, asked with that credential itself. */
export interface CredentialReading {
  readonly at: Instant
  /** Null: the set has no Secret that can be read, as where a vault has it. */
  readonly secret: ObjectRef | null
  /** Whether the forge lists runners of the scope to it. */
  readonly isAccepted: boolean
  /** The forge's words, or why nobody could ask; never a value. */
  readonly answer: string
}

/** The facts of `fix stuck-finalizers`: besides cluster and forge, ARC's own log and its own credential. */
export interface StuckFinalizersFacts extends RunnerFacts {
  readonly plan: StuckFinalizersPlan
  readonly fresh: RunnerFacts['fresh'] & {
    readonly sources: { readonly log: Instant; readonly credential: Instant }
    /** The newest lines of ARC's controller. */
    readonly lines: readonly string[]
    readonly credential: CredentialReading
  }
}
