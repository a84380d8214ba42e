import type { Forge } from '../../ports/forge.ts'
import type { ForgeDeliveries } from '../../ports/forge-deliveries.ts'
import type { Log } from '../../ports/log.ts'
import type { Webhooks } from '../../ports/webhooks.ts'
import type { RunnerScope } from './calls/places.ts'
import { type ConnectionOptions, openConnection } from './connection.ts'
import { createGitHubDeliveries } from './deliveries.ts'
import { createGitHubForge } from './forge.ts'
import { createGitHubWebhooks } from './webhook.ts'

export interface GitHubOptions extends ConnectionOptions {
  /** The name under which the ledger knows this account. */
  readonly installation: string
  /** Where runners are registered; at the repository of each job unless it is said otherwise. */
  readonly scope?: RunnerScope
  /** All that are valid now. */
  readonly webhookSecrets: () => readonly string[]
  /** Where webhooks reach us; with a token, hooks of repositories that send elsewhere are not ours. */
  readonly webhookUrl?: string | undefined
  readonly log: Log
}

export interface GitHub {
  readonly forge: Forge
  readonly deliveries: ForgeDeliveries
  readonly webhooks: Webhooks
  /** Ends what is under way. */
  close(): void
}

/** GitHub as a forge: its runners and jobs, the list of what it sent us, and its messages. */
export function createGitHub(options: GitHubOptions): GitHub {
  const { credentials, installation, webhookSecrets, clock } = options
  const connection = openConnection(options)
  const installationId = credentials.kind === 'app' ? credentials.installationId : undefined
  return {
    forge: createGitHubForge(connection, options),
    deliveries: createGitHubDeliveries(connection, options),
    webhooks: createGitHubWebhooks({
      ...{ installation, installationId, secrets: webhookSecrets },
      now: () => clock.now(),
    }),
    close: () => connection.close(),
  }
}
