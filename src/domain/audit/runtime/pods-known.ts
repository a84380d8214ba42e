import type { Snapshot } from '../../snapshot/index.ts'
import { isAbsenceKnown } from '../judging.ts'

/** Whether a pod that is not listed in a namespace is really absent: a snapshot of some nodes lacks those of the others. */
export function arePodsKnown(snapshot: Snapshot, namespace: string): boolean {
  return snapshot.scope.nodes === null && isAbsenceKnown(snapshot.cluster.pods, snapshot, namespace)
}
