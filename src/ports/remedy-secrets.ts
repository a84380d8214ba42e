import type { SecretReading } from '../domain/remedy/index.ts'
import type { EventFact, ObjectRef, PodFact } from '../domain/snapshot/index.ts'
import type { Exactly } from './cluster.ts'
import type { Removal } from './remedy.ts'

/** Keys of one Secret that are made equal to those of another; one that `from` lacks is taken away. */
export interface KeyCopy {
  readonly keys: readonly string[]
  readonly from: Exactly & ObjectRef
  /** Exactly this state is written; null in `state`: it is made, and must not be there. */
  readonly to: ObjectRef & {
    readonly state: { readonly uid: string; readonly resourceVersion: string } | null
  }
}

/** The answer to a copy. `conflict`: one of the two is not in the named state any more, and nothing was written. */
export type Copied = 'copied' | 'gone' | 'conflict' | 'unknown'

/** Secrets of a cluster as a remedy needs them. No value leaves this port: not in a result, not in an error. */
export interface RemedySecrets {
  /** Hashes of its values, salted; null: there is none. */
  readSecret(place: ObjectRef, salt: string, signal: AbortSignal): Promise<SecretReading | null>
  /** Throws where the cluster refuses: then nothing was done. */
  copyKeys(copy: KeyCopy, signal: AbortSignal): Promise<Copied>
  listPods(namespace: string, signal: AbortSignal): Promise<readonly PodFact[]>
  listEvents(namespace: string, signal: AbortSignal): Promise<readonly EventFact[]>
  /** Deletes one pod in exactly this state. Throws where the cluster refuses: then nothing was done. */
  removePod(target: Exactly & ObjectRef, signal: AbortSignal): Promise<Removal>
}
