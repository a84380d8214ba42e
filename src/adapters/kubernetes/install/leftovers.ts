import { isError } from '../../../domain/errors/index.ts'
import type { ClusterObject, ObjectKind } from '../../../ports/cluster.ts'
import { type Cluster, kinds, type Transform } from '../client/index.ts'
import { type RunnerPod, toRunnerPod } from '../host/index.ts'
import { evidenceFinalizer, labels, manager } from '../pods/index.ts'
import { poolFinalizer, runnerPools } from '../pools/index.ts'

export interface Leftover<T extends ClusterObject = ClusterObject> {
  readonly kind: ObjectKind
  readonly object: T
  /** Ours on it; null: none. */
  readonly finalizer: string | null
}

/** The objects of Holdfast in a namespace, and the kinds that could not be listed. */
export interface Leftovers {
  readonly pods: readonly Leftover<RunnerPod>[]
  readonly pools: readonly Leftover[]
  /** The lease and the network policy. */
  readonly others: readonly Leftover[]
  readonly unseen: readonly Unseen[]
}

/** A kind that could not be listed: that none of it was found says nothing. */
interface Unseen {
  readonly kind: string
  /** As a sentence. */
  readonly why: string
}

const metadataOnly = (object: ClusterObject): ClusterObject => ({ metadata: object.metadata })

/** Finds everything of ours without a leader, a view or a ledger; what it may not read it names. */
export async function findLeftovers(
  cluster: Pick<Cluster, 'list'>,
  { namespace, lease }: { readonly namespace: string; readonly lease: string },
  signal: AbortSignal,
): Promise<Leftovers> {
  const unseen: Unseen[] = []
  async function all<T extends ClusterObject>(
    {
      kind,
      transform,
      finalizer = null,
    }: { kind: ObjectKind; transform: Transform<T>; finalizer?: string | null },
    isOurs: (object: ClusterObject) => boolean,
  ): Promise<readonly Leftover<T>[]> {
    try {
      const found = await cluster.list({ kind, namespace, transform }, signal)
      return found.filter(isOurs).map((object): Leftover<T> => {
        const isHeld = finalizer !== null && object.metadata.finalizers?.includes(finalizer) === true
        return { kind, object, finalizer: isHeld ? finalizer : null }
      })
    } catch (error) {
      // A kind that the cluster does not know has no objects: the definition is gone, or never was.
      if (isError(error, 'E_CLUSTER_NOT_FOUND')) return []
      if (!isError(error, 'E_CLUSTER_REFUSED')) throw error
      unseen.push({ kind: kind.kind, why: `${kind.plural}: ${error.message}` })
      return []
    }
  }
  const isManaged = ({ metadata }: ClusterObject) => metadata.labels?.[labels.managedBy] === manager
  const isPolicy = (object: ClusterObject) => isManaged(object) && object.metadata.name === 'holdfast-runners'
  const pods = await all(
    { kind: kinds.pods, transform: toRunnerPod, finalizer: evidenceFinalizer },
    isRunnersPod,
  )
  const pools = await all(
    { kind: runnerPools, transform: metadataOnly, finalizer: poolFinalizer },
    () => true,
  )
  const policies = await all({ kind: kinds.networkPolicies, transform: metadataOnly }, isPolicy)
  const held = await all(
    { kind: kinds.leases, transform: metadataOnly },
    ({ metadata }) => metadata.name === lease,
  )
  return { pods, pools, others: [...policies, ...held], unseen }
}

/** Our finalizer is nobody else's. Without it a pod has all of our marks, under its own name. */
function isRunnersPod({ metadata }: ClusterObject): boolean {
  const { name, labels: given = {}, finalizers = [] } = metadata
  return (
    finalizers.includes(evidenceFinalizer) ||
    (given[labels.managedBy] === manager && given[labels.runner] === name)
  )
}
