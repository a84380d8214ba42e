import type { ObjectRef, ScaleSetFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { CredentialCopies } from '../credential/copies.ts'
import type { Plan, PlannedObject } from '../plan.ts'
import type { RemedyFacts } from '../remedy.ts'
import type { CredentialReading } from '../stuck-finalizers/facts.ts'

/** The App's copy in the listener's namespace; where it is missing it is made, and must not be there. */
interface AppTarget extends PlannedObject {
  readonly kind: 'Secret'
  readonly isMissing: boolean
  readonly scaleSet: ObjectRef
  /** Where the runners of the set are registered, and the App must be installed. */
  readonly forgeHost: string
  readonly forgeScope: string
  /** The App's Secret in the set's namespace, in exactly the state that the forge accepted. */
  readonly source: ObjectRef & { readonly uid: string; readonly resourceVersion: string }
  /** Hashes by key, salted with the UID of the source. */
  readonly sourceHash: string
  readonly targetHash: string | null
}

export interface AppCredentialsScope {
  readonly scaleSet: ObjectRef
  /** In the set's namespace; null: the one that the set names. */
  readonly appSecret: string | null
  readonly listenerNamespace: string
}

export type AppCredentialsPlan = Plan<'credentials', AppCredentialsScope, AppTarget>

/** The facts of `fix credentials`: the forge is asked with the App's own credential. */
export interface AppCredentialsFacts extends RemedyFacts {
  readonly plan: AppCredentialsPlan
  readonly fresh: CredentialCopies & {
    readonly sources: { readonly cluster: Instant; readonly credential: Instant }
    /** Null: there is none. */
    readonly set: ScaleSetFact | null
    readonly credential: CredentialReading
    /** Sets of the other copy's namespace that name it. */
    readonly users: readonly ObjectRef[]
  }
  readonly after: CredentialCopies
  readonly end: CredentialCopies
}
