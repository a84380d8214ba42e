import { isError } from '../../../../domain/errors/index.ts'
import type { ClusterWriter, ObjectKind } from '../../../../ports/cluster.ts'
import type { Log } from '../../../../ports/log.ts'
import { runnerNetworkPolicy } from './network-policy.ts'

const networkPolicies: ObjectKind = {
  group: 'networking.k8s.io',
  version: 'v1',
  plural: 'networkpolicies',
  kind: 'NetworkPolicy',
  isNamespaced: true,
}
const forbidden = 403

/**
 * Puts the network policy of all runners into their namespace. Runners run without it as well, so that it cannot be
 * put there is a warning with what to do. What another has changed in it stays as it is.
 */
export async function applyNetworkPolicy(
  {
    writer,
    namespace,
    log,
  }: { readonly writer: ClusterWriter; readonly namespace: string; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  const manifest = runnerNetworkPolicy(namespace)
  const fields = { namespace, networkPolicy: manifest.metadata.name }
  try {
    const changed = await writer.apply(networkPolicies, manifest, signal)
    if (changed.kind === 'changed') return
    const reason = changed.kind === 'conflict' ? changed.reason : 'the API server knows no such object'
    log.warn(
      { ...fields, reason },
      'the network policy of the runners was left as another made it: adopt what you want of ours, or delete it',
    )
  } catch (error) {
    if (signal.aborted || isError(error, 'E_CLUSTER_NOT_LEADER')) return
    log.warn(
      { ...fields, err: error },
      `the network policy of the runners could not be applied: ${todo(error)}`,
    )
  }
}

function todo(error: unknown): string {
  return isError(error, 'E_CLUSTER_REFUSED') && error.params.code === forbidden
    ? 'allow create and patch on networkpolicies.networking.k8s.io in this namespace, or set fleet.networkPolicy to false'
    : 'until the next leader tries again, nothing keeps runners from link-local addresses, nor others from them'
}
