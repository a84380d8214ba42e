import { createSecretIdentity } from '../../adapters/vault/index.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { Base } from '../base.ts'
import type { OpenFleet } from './fleet.ts'

export { isolationWarning, type OpenFleet } from './fleet.ts'
export { probeIsolation, refuseRootRunners } from './isolate.ts'
export { reportNamespaceTerminating } from './namespace-incident.ts'
export { notLeading, underTerms } from './terms.ts'

/** Opens what the configuration names as the place where runners run; only that is loaded. */
export async function openFleet(
  base: Base,
  url: string,
  metrics: Metrics,
  signal: AbortSignal,
): Promise<OpenFleet> {
  if (base.config.fleet.kind === 'kubernetes') {
    const { openKubernetesFleet } = await import('./kubernetes.ts')
    return openKubernetesFleet(base, metrics, signal)
  }
  const { openLocalFleet } = await import('./local.ts')
  return openLocalFleet(base, url, createSecretIdentity())
}
