import { createSecrets } from '../adapters/vault/index.ts'
import type { ControlDeps } from '../control/index.ts'
import type { Forge } from '../ports/forge.ts'
import type { Leader, Ledger } from '../ports/ledger.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { RecordSink } from '../ports/record-sink.ts'
import type { RunnerHost } from '../ports/runner-host.ts'
import { createRedeliveryMemory } from '../recovery/index.ts'
import type { Base } from './base.ts'
import { controlSettings } from './control-settings.ts'
import { notLeading, type OpenFleet } from './fleet/index.ts'
import type { OpenForge } from './forge/index.ts'
import { measuredForge } from './measured-forge.ts'

/** The ports through which the program has its effects. */
export interface Effects {
  readonly ledger: Ledger
  readonly forge: Forge
  readonly host: RunnerHost
}

/** All that the control loops work with. */
export function gatherControl(
  base: Base,
  given: {
    readonly ledger: Ledger
    readonly side: OpenForge
    readonly fleet: OpenFleet
    readonly metrics: Metrics
    readonly sink: RecordSink | null
    readonly disk: NonNullable<ControlDeps['disk']> | null
    /** Lets fault tests stand between the program and its effects. */
    readonly through: (effects: Effects) => Effects
  },
): ControlDeps {
  const { config, clock, entropy, log } = base
  const { ledger, side, fleet, metrics, sink, disk } = given
  return {
    ...{ clock, entropy, log, metrics },
    secrets: fleet.identity.provesName ? null : createSecrets(entropy),
    leader: () => leaderOf(fleet),
    pools: fleet.pools,
    ...{ sink, disk },
    webhooks: side.webhooks,
    deliveries: side.deliveries,
    budget: side.budget,
    redelivery: createRedeliveryMemory(),
    settings: controlSettings(config, side.installation),
    ...given.through({
      ...{ ledger, forge: measuredForge(side.forge, metrics, clock), host: fleet.host },
    }),
  }
}

/** Where others could lead, nothing is written in nobody's name. */
function leaderOf({ leads }: OpenFleet): Leader | null {
  if (leads === null) return null
  const { lease, leadership } = leads
  const term = leadership.term()
  if (term === null) throw notLeading(leadership)
  return { lease, token: term.token }
}
