import type { EventFact, ObjectRef, PodFact, SecretFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { Plan, PlannedObject } from '../plan.ts'
import type { RemedyFacts } from '../remedy.ts'

/** A Secret without its values, and when it was last written. */
export interface SecretReading {
  readonly secret: SecretFact
  /** Null: it is not known. */
  readonly writtenAt: Instant | null
}

/** The two copies of one pull secret, and the listener that needs it. */
interface CopyTarget extends PlannedObject {
  readonly scaleSet: ObjectRef
  readonly listener: ObjectRef
  readonly registry: string
  /** The runners' copy, in exactly the state that was proven good. */
  readonly source: ObjectRef & { readonly uid: string; readonly resourceVersion: string }
  /** Hashes of the credentials, salted with the UID of the source. */
  readonly sourceHash: string
}

/** The controller's copy that is written; where it is missing it is made, and must not be there. */
interface PlannedSecret extends CopyTarget {
  readonly kind: 'Secret'
  readonly isMissing: boolean
  readonly targetHash: string | null
}

/** The listener's pod that is made again once the copy is good. */
interface PlannedListenerPod extends CopyTarget {
  readonly kind: 'Pod'
}

type PullSecretTarget = PlannedSecret | PlannedListenerPod

export interface PullSecretsScope {
  readonly sets: readonly ObjectRef[]
}

export type PullSecretsPlan = Plan<'pull-secrets', PullSecretsScope, PullSecretTarget>

/** The two copies and the listener's pod, read at one time. */
export interface CopyReading {
  readonly source: SecretReading | null
  readonly target: SecretReading | null
  readonly listenerPod: PodFact | null
}

/** The facts of `fix pull-secrets`, from the cluster alone: no job runs in a listener. */
export interface PullSecretsFacts extends RemedyFacts {
  readonly plan: PullSecretsPlan
  readonly fresh: CopyReading & {
    readonly sources: { readonly cluster: Instant }
    /** Pods and events of the runners' namespace. */
    readonly pods: readonly PodFact[]
    readonly events: readonly EventFact[]
  }
  readonly after: CopyReading
  readonly end: CopyReading & { readonly isPodPlanned: boolean }
}

/** In place of UID and resourceVersion of an object that must not be there. */
export const absent = 'absent'
