import type { Forge } from '../../ports/forge.ts'
import type { ForgeDeliveries } from '../../ports/forge-deliveries.ts'
import type { ForgeFactsReader } from '../../ports/forge-facts.ts'
import type { Log } from '../../ports/log.ts'
import type { Webhooks } from '../../ports/webhooks.ts'
import type { RunnerScope } from './calls/registration-targets.ts'
import { type ConnectionOptions, openConnection } from './connection.ts'
import { createGitHubDeliveries } from './deliveries.ts'
import { createGitHubFacts } from './facts/from-api.ts'
import { createGitHubForge } from './forge.ts'
import { siteHost } from './transport/api-url.ts'
import { createGitHubWebhooks } from './webhook.ts'

export interface GitHubOptions extends ConnectionOptions {
  /** The name under which the ledger knows this account. */
  readonly installation: string
  /** The level at which runners are registered; by default the repository of each job. */
  readonly scope?: RunnerScope
  /** Every secret that is valid now. */
  readonly webhookSecrets: () => readonly string[]
  /** Our public webhook address; with a token, hooks of repositories that send elsewhere are not ours. */
  readonly webhookUrl?: string | undefined
  readonly log: Log
}

export interface GitHub {
  readonly forge: Forge
  readonly deliveries: ForgeDeliveries
  readonly webhooks: Webhooks
  readonly facts: ForgeFactsReader
  /** Aborts calls in flight. */
  close(): void
}

/** GitHub as a forge: its runners and jobs, the list of its webhook deliveries, and its webhooks. */
export function createGitHub(options: GitHubOptions): GitHub {
  const { credentials, installation, webhookSecrets, clock } = options
  const connection = openConnection(options)
  const installationId = credentials.kind === 'app' ? credentials.installationId : undefined
  return {
    forge: createGitHubForge(connection, options),
    deliveries: createGitHubDeliveries(connection, options),
    webhooks: createGitHubWebhooks({
      installation,
      installationId,
      secrets: webhookSecrets,
      now: () => clock.now(),
    }),
    facts: createGitHubFacts(connection, siteHost(options.apiUrl)),
    close: () => connection.close(),
  }
}
