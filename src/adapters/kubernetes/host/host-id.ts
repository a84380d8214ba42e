import { HoldfastError } from '../../../domain/errors/index.ts'
import { type Cluster, kinds } from '../client/index.ts'

/**
 * Tells apart the runners of one namespace of one cluster from all others that share a ledger. It stays the same for as
 * long as the namespace lives, whatever address or credentials lead there.
 */
export async function readHostId(
  { reader }: Pick<Cluster, 'reader'>,
  namespace: string,
  signal: AbortSignal,
): Promise<string> {
  const found = await reader.read(kinds.namespaces, { name: namespace }, signal)
  if (found === undefined) throw new HoldfastError('E_CLUSTER_NAMESPACE_MISSING', { namespace })
  return `kubernetes:${found.metadata.uid}/${namespace}`
}
