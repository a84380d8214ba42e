import { isError } from '../../../../domain/errors/index.ts'
import type { ClusterObject, NamespacedName } from '../../../../ports/cluster.ts'
import { kinds } from '../kinds.ts'
import type { Transport } from '../transport/send.ts'
import { createReader } from '../write/writer.ts'

const unauthorized = 401
const forbidden = 403

/**
 * Whether the namespace may be on its end: nothing is made there any more, or the rights that stood in it are gone with
 * it. The namespace itself says which.
 */
export function mayBeTerminating(error: unknown): boolean {
  return isError(error, 'E_CLUSTER_REFUSED') && error.params.code === forbidden
}

/** Whether our rights or our very account are gone, as they go with the namespace that they stood in. */
export function areRightsGone(error: unknown): boolean {
  return (
    mayBeTerminating(error) || (isError(error, 'E_CLUSTER_REFUSED') && error.params.code === unauthorized)
  )
}

/**
 * The version of a namespace that terminates, in the stead of a lease's: it is of the same count. It may be smaller than
 * the last term's, and then the ledger refuses new runners, which cannot be made there anyway. Null: it does not
 * terminate, or is gone.
 */
export async function readTerminatingVersion(
  transport: Transport,
  { namespace }: NamespacedName,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | null> {
  const timed: Transport = {
    ...transport,
    send: (request, own) => transport.send({ ...request, timeoutMs }, own),
  }
  const found = await createReader(timed).read<ClusterObject>(
    kinds.namespaces,
    { name: namespace ?? '' },
    signal,
  )
  if (found?.metadata.deletionTimestamp === undefined) return null
  return found.metadata.resourceVersion
}
