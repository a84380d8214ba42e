import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Cluster } from '../client/index.ts'
import { runnerPools } from '../pools/index.ts'
import { clusterRules, namespaceRules } from './access-rules.ts'

/** Throws, with all access that is missing, where Holdfast could not do its work in this namespace. Changes nothing. */
export async function checkAccess(
  { access }: Pick<Cluster, 'access'>,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const rules = { inNamespace: namespaceRules, clusterWide: clusterRules }
  const missing = await access.listDenied(rules, namespace, signal)
  if (missing.length > 0) throw new HoldfastError('E_CLUSTER_RIGHTS', { namespace, missing: [...missing] })
  await access.requireKind(runnerPools, namespace, signal)
}
