import { createSharedBudget, type SharedBudget } from '../../budget/index.ts'
import { forgeKinds } from '../../domain/forge/index.ts'
import type { Config } from '../../platform/config/index.ts'
import { openNetwork } from '../../platform/network/index.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { Base } from '../base.ts'
import type { ForgeAdapter, ForgeDeps } from './forge-adapter.ts'
import { loadForgeModule } from './forges.ts'

/** A forge and the budget that all calls to it share. */
export type OpenForge = ForgeAdapter & { readonly budget: SharedBudget }

export interface OpenForgeDeps extends Omit<ForgeDeps, 'budget' | 'dispatcher'> {
  readonly metrics: Metrics
}

/** Opens the forge that the configuration names. */
export async function openForge(base: Base, deps: OpenForgeDeps): Promise<OpenForge> {
  const { config, clock, log } = base
  const { installation, ledger, metrics, webhookUrl, operatorToken, secrets } = deps
  const { kind, proxy, caFile } = config.forge
  const pointsPerMinute = pointsPerMinuteOf(config.forge)
  const budget = createSharedBudget({ ledger, clock, log, metrics, installation, pointsPerMinute })
  const { dispatcher, close } = openNetwork({ proxy, caFile, env: process.env })
  const { open } = await loadForgeModule(kind)
  const adapter = await open(base, {
    installation,
    ledger,
    budget,
    webhookUrl,
    operatorToken,
    secrets,
    dispatcher,
  })
  return {
    ...adapter,
    budget,
    async stop() {
      await adapter.stop()
      await close()
    },
  }
}

/** The setting's limit, else the server's own; null: none. */
function pointsPerMinuteOf({ kind, url, pointsPerMinute }: Config['forge']): number | null {
  if (pointsPerMinute === 0) return null
  return pointsPerMinute ?? forgeKinds[kind].pointsPerMinute(url)
}
