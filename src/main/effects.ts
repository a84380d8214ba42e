import path from 'node:path'
import { createProcessHost } from '../adapters/process/index.ts'
import { createSecrets } from '../adapters/vault/index.ts'
import type { ControlDeps } from '../control/index.ts'
import type { Forge } from '../ports/forge.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { RunnerHost } from '../ports/runner-host.ts'
import { createRedeliveryMemory } from '../recovery/index.ts'
import type { Base } from './base.ts'
import { controlSettings } from './control-settings.ts'
import type { OpenForge } from './forge/index.ts'
import { hostId } from './kept-random.ts'
import { measuredForge } from './measured-forge.ts'
import { runnerShape } from './runner-shape.ts'

/** The ports through which the program has its effects. */
export interface Effects {
  readonly ledger: Ledger
  readonly forge: Forge
  readonly host: RunnerHost
}

/** Opens the host of the runners, and gathers all that the control loops work with. */
export async function openControl(
  base: Base,
  given: {
    readonly ledger: Ledger
    readonly side: OpenForge
    readonly metrics: Metrics
    readonly url: string
    /** Lets fault tests stand between the program and its effects. */
    readonly through: (effects: Effects) => Effects
  },
): Promise<{ readonly control: ControlDeps; stop(): Promise<void> }> {
  const { config, clock, entropy, log } = base
  const { ledger, side, metrics } = given
  const folder = path.join(config.dataDir, 'runners')
  const id = await hostId(base)
  const host = await createProcessHost({ id, folder, log, clock, shape: runnerShape(config, given.url) })
  return {
    control: {
      clock,
      entropy,
      log,
      metrics,
      secrets: createSecrets(entropy),
      webhooks: side.webhooks,
      deliveries: side.deliveries,
      budget: side.budget,
      redelivery: createRedeliveryMemory(),
      settings: controlSettings(config, side.installation),
      ...given.through({ ledger, forge: measuredForge(side.forge, metrics, clock), host }),
    },
    stop: async () => host[Symbol.asyncDispose](),
  }
}
