import { createSharedBudget, type SharedBudget } from '../../budget/index.ts'
import type { Config, ForgeSecrets } from '../../platform/config/index.ts'
import { openNetwork } from '../../platform/network/index.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { Base } from '../base.ts'
import type { ForgeSide } from './side.ts'

export interface ForgeGiven {
  readonly ledger: Ledger
  /** The name under which the ledger has what is of the configured forge. */
  readonly installation: string
  readonly metrics: Metrics
  /** Where the forge's webhooks reach us. */
  readonly webhookUrl: string
  /** What the simulated forge asks of whoever calls it, unless the configuration says otherwise. */
  readonly token: string
  /** The forge's secrets as they are now: files may change while we run. */
  readonly secrets: () => ForgeSecrets
}

/** A forge and the budget that all calls to it share. */
export type OpenForge = ForgeSide & { readonly budget: SharedBudget }

/** Only the one that is wanted is loaded: what is not stays out of memory. */
const openers = {
  simulated: async () => (await import('./simulated.ts')).openSimulated,
  github: async () => (await import('./github.ts')).openGitHub,
  gitea: async () => (await import('./gitea.ts')).openGitea,
}

/** GitHub's own: see docs/design/recovery.md. A server of one's own has no such limit unless somebody sets it. */
const GITHUB_POINTS_PER_MINUTE = 900

function pointLimitOf({ kind, url = '', pointsPerMinute }: Config['forge']): number | null {
  const isGitHubs = kind === 'github' && (url === '' || isGitHubsOwn(url))
  const limit = pointsPerMinute ?? (isGitHubs ? GITHUB_POINTS_PER_MINUTE : 0)
  return limit === 0 ? null : limit
}

function isGitHubsOwn(url: string): boolean {
  const { hostname } = new URL(url)
  return /(^|\.)(github\.com|ghe\.com)$/.test(hostname)
}

/** The forge that the configuration names. */
export async function openForge(base: Base, given: ForgeGiven): Promise<OpenForge> {
  const { kind } = base.config.forge
  const { installation } = given
  const pointsPerMinute = pointLimitOf(base.config.forge)
  const budget = createSharedBudget({ ...base, ...given, installation, pointsPerMinute })
  const { dispatcher, close } = openNetwork({ ...base.config.forge, env: process.env })
  const open = await openers[kind]()
  const side = await open(base, { ...given, budget, dispatcher, installation })
  return {
    ...{ ...side, budget },
    async stop() {
      await side.stop()
      await close()
    },
  }
}
