import type { ForgeReading, JobReading, JobRef, SetReading } from '../domain/remedy/index.ts'
import type { Caps } from '../domain/remedy/managed-apply/index.ts'
import type { ForgeJobFact, ObjectRef, PodFact } from '../domain/snapshot/index.ts'
import type { Exactly } from './cluster.ts'

/**
 * `removed`: the cluster took the deletion on; finalizers may keep the object. `gone`, `conflict`: it is not there, or not in
 * this state any more, and nothing was done. `unknown`: the answer was lost.
 */
export type Removal = 'removed' | 'gone' | 'conflict' | 'unknown'

/** The caps of one set in one state of it. */
export interface CapsReading extends Caps {
  readonly uid: string
  readonly resourceVersion: string
  /** The apply that froze it; null: none did. */
  readonly mark: string | null
}

/** `patched`: it stands. The others as for a removal. */
export type CapsPatch = 'patched' | 'gone' | 'conflict' | 'unknown'

/** The cluster, as a remedy needs it. Every read asks the API server now, past every cache. */
export interface RemedyCluster {
  /** All sets of ARC in these namespaces; null: everywhere. */
  listSets(namespaces: readonly string[] | null, signal: AbortSignal): Promise<readonly ObjectRef[]>
  /** Throws where any part of it cannot be read or has not the expected shape: a part that is missing proves nothing. */
  readSet(place: ObjectRef, signal: AbortSignal): Promise<SetReading>
  /** Null: there is none. */
  readPod(place: ObjectRef, signal: AbortSignal): Promise<PodFact | null>
  /**
   * Deletes one EphemeralRunner in exactly this state, and strips no finalizer. Throws where the cluster refuses: then
   * nothing was done.
   */
  removeRunner(target: Exactly & ObjectRef, signal: AbortSignal): Promise<Removal>
  /** Null: there is no such set. */
  readCaps(place: ObjectRef, signal: AbortSignal): Promise<CapsReading | null>
  /**
   * Writes the caps and the mark of one set in exactly this state, and nothing else of it; null takes a field away. An
   * unchanged set stays in its state. Throws where the cluster refuses: then nothing was done.
   */
  patchCaps(
    target: Exactly & ObjectRef,
    caps: Caps & { readonly mark: string | null },
    signal: AbortSignal,
  ): Promise<CapsPatch>
}

/** The forge, as a remedy needs it. */
export interface RemedyForge {
  /** Of its web site, as scale sets name it: it says nothing about runners of another server. */
  readonly host: string
  /** The runner of this name, asked now; throws where the list of the scope cannot be read. */
  readRunner(scope: string, name: string, signal: AbortSignal): Promise<ForgeReading>
  /**
   * Jobs that wait for a runner, asked now: those of one repository, or of all that the credential sees in the scope.
   * Throws where any of it cannot be read, or is more than can be asked for.
   */
  readQueuedJobs(where: QueueScope, signal: AbortSignal): Promise<readonly ForgeJobFact[]>
  /** One job, asked now; throws where it cannot be read. */
  readJob(ref: JobRef, signal: AbortSignal): Promise<JobReading>
}

interface QueueScope {
  readonly scope: string
  readonly repository: string | null
}
