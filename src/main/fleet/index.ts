import { createSecretIdentity } from '../../adapters/vault/index.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { Base } from '../base.ts'
import type { OpenFleet } from './fleet.ts'
import { openKubernetesFleet } from './kubernetes.ts'
import { openLocalFleet } from './local.ts'

export type { OpenFleet } from './fleet.ts'
export { notLeading, underTerms } from './terms.ts'

/** Opens what the configuration names as the place where runners run. */
export function openFleet(
  base: Base,
  url: string,
  metrics: Metrics,
  signal: AbortSignal,
): Promise<OpenFleet> {
  if (base.config.fleet.kind === 'kubernetes') return openKubernetesFleet(base, metrics, signal)
  return openLocalFleet(base, url, createSecretIdentity())
}
