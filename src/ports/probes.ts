import type { LaneReading, ProbeKind } from '../domain/remedy/index.ts'
import type { ObjectRef, PodFact } from '../domain/snapshot/index.ts'
import type { Exactly } from './cluster.ts'
import type { Removal } from './remedy.ts'

/** The one pod of a probe, to be made from exactly this spec of a lane. */
export interface ProbeOrder {
  readonly kind: ProbeKind
  readonly probeId: string
  readonly lane: ObjectRef & { readonly uid: string; readonly generation: number }
  readonly node: string | null
  readonly registry: string | null
  readonly deadlineSeconds: number
}

/**
 * `made`: it stands. `exists`: a pod has its name already. `conflict`: the lane has another spec now, or is gone. In both
 * nothing was made. `unknown`: the answer was lost.
 */
export type ProbeMade = 'made' | 'exists' | 'conflict' | 'unknown'

/**
 * Pods of ours that ask a question from a lane. No value of a Secret or ConfigMap passes here: a pod gets references. Every
 * read asks the API server now.
 */
export interface Probes {
  /** Null: there is no such scale set. */
  readLane(place: ObjectRef, signal: AbortSignal): Promise<LaneReading | null>
  /** Null: there is none. */
  readPod(place: ObjectRef, signal: AbortSignal): Promise<PodFact | null>
  /** Throws where the cluster refuses: then nothing was made. */
  make(order: ProbeOrder, signal: AbortSignal): Promise<ProbeMade>
  /** Deletes one pod in exactly this state. Throws where the cluster refuses: then nothing was done. */
  remove(target: Exactly & ObjectRef, signal: AbortSignal): Promise<Removal>
}
