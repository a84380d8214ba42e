import type { ObjectRef } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { CredentialCopies } from '../credential/copies.ts'
import type { SessionReading } from '../credential/session.ts'
import type { Plan, PlannedObject } from '../plan.ts'
import type { RemedyFacts } from '../remedy.ts'

/** The copy in the listeners' namespace that is written, from the one that the set's own session proves. */
interface DriftTarget extends PlannedObject {
  readonly kind: 'Secret'
  readonly scaleSet: ObjectRef
  /** The set's own copy, in exactly the state that was proven good. */
  readonly source: ObjectRef & { readonly uid: string; readonly resourceVersion: string }
  /** Hashes by key, salted with the UID of the source. */
  readonly sourceHash: string
  readonly targetHash: string | null
}

export interface SecretDriftScope {
  readonly sets: readonly ObjectRef[]
}

export type SecretDriftPlan = Plan<'secret-drift', SecretDriftScope, DriftTarget>

/** The facts of `fix secret-drift`, from the cluster alone: the listener's log is the forge's word about the credential. */
export interface SecretDriftFacts extends RemedyFacts {
  readonly plan: SecretDriftPlan
  readonly fresh: CredentialCopies & {
    readonly sources: { readonly cluster: Instant }
    readonly session: SessionReading
    /** Sets of the other copy's namespace that name it. */
    readonly users: readonly ObjectRef[]
  }
  readonly after: CredentialCopies
  readonly end: CredentialCopies & { readonly session: SessionReading; readonly phase: string | null }
}
