import type { Cluster } from '../../../adapters/kubernetes/index.ts'
import { HoldfastError, isError } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ClusterObject, ObjectKind } from '../../../ports/cluster.ts'

const leases: ObjectKind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  isNamespaced: true,
}
type Lease = ClusterObject & {
  readonly spec?: { readonly holderIdentity?: string; readonly leaseDurationSeconds?: number }
}
/** A holder renews five times within its lease; a little more than two of these is enough to see one that lives. */
const watchedShare = 0.5
const durationSeconds = 15

/** Throws where the lease is renewed while it is looked at: no clock of anybody is compared. */
export async function requireNoLeader(
  { reader }: Pick<Cluster, 'reader'>,
  { namespace, lease }: { readonly namespace: string; readonly lease: string },
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const read = () => readLease(reader, { namespace, name: lease }, signal)
  const before = await read()
  const holder = before?.spec?.holderIdentity ?? ''
  if (before === undefined || holder === '') return
  await clock.sleep((before.spec?.leaseDurationSeconds ?? durationSeconds) * 1_000 * watchedShare, signal)
  const after = await read()
  const isRenewed = after !== undefined && after.metadata.resourceVersion !== before.metadata.resourceVersion
  if (isRenewed && after.spec?.holderIdentity)
    throw new HoldfastError('E_UNINSTALL_LEADER', { holder, namespace })
}

/** Undefined also without the right to read it: then a running leader shows by the objects that it makes again. */
async function readLease(
  reader: Cluster['reader'],
  place: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<Lease | undefined> {
  try {
    return await reader.read<Lease>(leases, place, signal)
  } catch (error) {
    if (isError(error, 'E_CLUSTER_REFUSED')) return undefined
    throw error
  }
}
