import type { DeploymentReading } from '../domain/remedy/index.ts'
import type { ObjectRef } from '../domain/snapshot/index.ts'
import type { Exactly } from './cluster.ts'

/** `restarted`: the cluster took it on. The others as for a removal. */
type Restarted = 'restarted' | 'gone' | 'conflict' | 'unknown'

/** Deployments of managers. Every read asks the API server now. */
export interface RemedyManagers {
  /** Null: there is none. */
  readDeployment(place: ObjectRef, signal: AbortSignal): Promise<DeploymentReading | null>
  /** Writes the mark into the pod template of exactly this state. Throws where the cluster refuses: then nothing was done. */
  restart(target: Exactly & ObjectRef, mark: string, signal: AbortSignal): Promise<Restarted>
}
