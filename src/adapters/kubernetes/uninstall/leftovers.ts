import { isError } from '../../../domain/errors/index.ts'
import type { ClusterObject, ObjectKind } from '../../../ports/cluster.ts'
import type { Cluster } from '../cluster.ts'
import { kinds } from '../host/kinds.ts'
import { keepPod, type RunnerPod } from '../host/objects.ts'
import { EVIDENCE_FINALIZER, labels, MANAGER } from '../pods/names.ts'
import { POOL_FINALIZER, runnerPools } from '../pools/object.ts'
import type { Keep } from '../reflector/objects.ts'

export const leases: ObjectKind = {
  ...{ group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease', isNamespaced: true },
}
export const networkPolicies: ObjectKind = {
  ...{ group: 'networking.k8s.io', version: 'v1', plural: 'networkpolicies', kind: 'NetworkPolicy' },
  isNamespaced: true,
}

export interface Leftover<T extends ClusterObject = ClusterObject> {
  readonly kind: ObjectKind
  readonly object: T
  /** Ours on it; null: none. */
  readonly finalizer: string | null
}

/** What of Holdfast stands in a namespace, and what could not be looked at. */
export interface Leftovers {
  readonly pods: readonly Leftover<RunnerPod>[]
  readonly pools: readonly Leftover[]
  /** The lease and the network policy. */
  readonly others: readonly Leftover[]
  readonly unseen: readonly Unseen[]
}

/** A kind that could not be listed: that none of it was found says nothing. */
export interface Unseen {
  readonly kind: string
  /** As a sentence. */
  readonly why: string
}

const keep = (object: ClusterObject): ClusterObject => ({ metadata: object.metadata })

/** Finds everything of ours without a leader, a view or a ledger; what it may not read it names. */
export async function findLeftovers(
  cluster: Pick<Cluster, 'list'>,
  { namespace, lease }: { readonly namespace: string; readonly lease: string },
  signal: AbortSignal,
): Promise<Leftovers> {
  const unseen: Unseen[] = []
  async function all<T extends ClusterObject>(
    { kind, keep, finalizer = null }: { kind: ObjectKind; keep: Keep<T>; finalizer?: string | null },
    isOurs: (object: ClusterObject) => boolean,
  ): Promise<readonly Leftover<T>[]> {
    try {
      const found = await cluster.list({ kind, namespace, keep }, signal)
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
  const isManaged = ({ metadata }: ClusterObject) => metadata.labels?.[labels.managedBy] === MANAGER
  const isPolicy = (object: ClusterObject) => isManaged(object) && object.metadata.name === 'holdfast-runners'
  const pods = await all({ kind: kinds.pods, keep: keepPod, finalizer: EVIDENCE_FINALIZER }, isRunnersPod)
  const pools = await all({ kind: runnerPools, keep, finalizer: POOL_FINALIZER }, () => true)
  const policies = await all({ kind: networkPolicies, keep }, isPolicy)
  const held = await all({ kind: leases, keep }, ({ metadata }) => metadata.name === lease)
  return { pods, pools, others: [...policies, ...held], unseen }
}

/** Our finalizer is nobody else's. Without it a pod has all of our marks, under its own name. */
function isRunnersPod({ metadata }: ClusterObject): boolean {
  const { name, labels: given = {}, finalizers = [] } = metadata
  return (
    finalizers.includes(EVIDENCE_FINALIZER) ||
    (given[labels.managedBy] === MANAGER && given[labels.runner] === name)
  )
}
