import { createSecrets } from '../../adapters/vault/index.ts'
import type { ControlDeps } from '../../control/index.ts'
import type { Leader, Ledger } from '../../ports/ledger.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { RecordSink } from '../../ports/record-sink.ts'
import { createRedeliveryMemory } from '../../recovery/index.ts'
import type { Base } from '../base.ts'
import { notLeading, type OpenFleet } from '../fleet/index.ts'
import { measuredForge, type OpenForge } from '../forge/index.ts'
import { controlSettings } from './control-settings.ts'

/** The ports and settings of the control loops. */
export function controlDeps(
  base: Base,
  opened: {
    readonly ledger: Ledger
    readonly forge: OpenForge
    readonly fleet: OpenFleet
    readonly metrics: Metrics
    readonly sink: RecordSink | null
    readonly disk: NonNullable<ControlDeps['disk']> | null
    readonly reap: NonNullable<ControlDeps['reap']> | null
  },
): ControlDeps {
  const { config, clock, entropy, log } = base
  const { ledger, forge, fleet, metrics, sink, disk, reap } = opened
  return {
    clock,
    entropy,
    log,
    metrics,
    ledger,
    forge: measuredForge(forge.forge, metrics, clock),
    host: fleet.host,
    secrets: fleet.identity.provesName ? null : createSecrets(entropy),
    leader: () => leaderOf(fleet),
    pools: fleet.pools,
    sink,
    disk,
    reap,
    webhooks: forge.webhooks,
    deliveries: forge.deliveries,
    budget: forge.budget,
    redelivery: createRedeliveryMemory(),
    settings: controlSettings(config, forge.installation),
  }
}

/** The leader whose token fences this process's writes; throws while another process leads. */
function leaderOf({ leads }: OpenFleet): Leader | null {
  if (leads === null) return null
  const { lease, leadership } = leads
  const term = leadership.term()
  if (term === null) throw notLeading(leadership)
  return { lease, token: term.token }
}
