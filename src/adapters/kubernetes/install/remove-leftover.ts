import { HoldfastError, isError } from '../../../domain/errors/index.ts'
import type { ClusterWriter } from '../../../ports/cluster.ts'
import { kinds } from '../client/index.ts'
import type { Leftover } from './leftovers.ts'

/** `left`: it is still there, with the reason. */
export type Removal = { readonly kind: 'gone' } | { readonly kind: 'left'; readonly why: string }

const gone: Removal = { kind: 'gone' }

/** Deletes an object of ours, then takes our finalizer off; those of others stay, and hold it as they please. */
export async function removeLeftover(
  writer: ClusterWriter,
  { kind, object, finalizer }: Leftover,
  signal: AbortSignal,
): Promise<Removal> {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, finalizers = [] } = object.metadata
  try {
    if (deletionTimestamp === undefined) {
      const removed = await writer.remove(kind, { name, namespace, uid, resourceVersion }, signal)
      if (removed === 'conflict') return { kind: 'left', why: 'it just changed' }
      if (removed === 'gone') return gone
    }
    if (finalizer === null) return gone
    if (kind === kinds.pods) {
      await writer.removeFinalizer(kind, { name, namespace, uid }, finalizer, signal)
      return gone
    }
    // Kinds of our own know no strategic patch: the whole list, under whatever version it has now.
    const left = finalizers.filter((each) => each !== finalizer)
    const changed = await writer.patch(
      kind,
      { name, namespace, uid },
      { metadata: { finalizers: left } },
      signal,
    )
    return changed.kind === 'conflict' ? { kind: 'left', why: changed.reason } : gone
  } catch (error) {
    if (isError(error, 'E_CLUSTER_REFUSED')) return { kind: 'left', why: error.message }
    if (error instanceof HoldfastError && error.entry.retryable) return { kind: 'left', why: error.message }
    throw error
  }
}
