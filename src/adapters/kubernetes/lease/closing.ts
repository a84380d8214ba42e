import { isError } from '../../../domain/errors/index.ts'
import type { ClusterObject, ObjectKind, Place } from '../../../ports/cluster.ts'
import type { Wire } from '../transport/send.ts'
import { createReader } from '../write/writer.ts'

const namespaces: ObjectKind = {
  ...{ group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', isNamespaced: false },
}
const UNAUTHORIZED = 401
const FORBIDDEN = 403

/**
 * Whether the namespace may be on its end: nothing is made there any more, or the rights that stood in it are gone with
 * it. The namespace itself says which.
 */
export function mayBeTerminating(error: unknown): boolean {
  return isError(error, 'E_CLUSTER_REFUSED') && error.params.code === FORBIDDEN
}

/** Whether our rights or our very account are gone, as they go with the namespace that they stood in. */
export function areRightsGone(error: unknown): boolean {
  return (
    mayBeTerminating(error) || (isError(error, 'E_CLUSTER_REFUSED') && error.params.code === UNAUTHORIZED)
  )
}

/**
 * The version of a namespace that terminates, in the stead of a lease's: it is of the same count. It may be smaller than
 * the last term's, and then the ledger refuses new runners, which cannot be made there anyway. Null: it does not
 * terminate, or is gone.
 */
export async function closingVersion(
  wire: Wire,
  { namespace }: Place,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | null> {
  const timed: Wire = { ...wire, send: (request, own) => wire.send({ ...request, timeoutMs }, own) }
  const found = await createReader(timed).read<ClusterObject>(namespaces, { name: namespace ?? '' }, signal)
  if (found?.metadata.deletionTimestamp === undefined) return null
  return found.metadata.resourceVersion
}
