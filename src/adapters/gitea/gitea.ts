import type { Instant } from '../../domain/time.ts'
import type { Forge } from '../../ports/forge.ts'
import type { Webhooks } from '../../ports/webhooks.ts'
import { createGiteaForge, type GiteaForgeOptions } from './forge.ts'
import { createNumbers } from './numbers.ts'
import { createGiteaWebhooks } from './webhook.ts'

export interface GiteaOptions extends Omit<GiteaForgeOptions, 'numbers'> {
  /** All that are valid now. */
  readonly webhookSecrets: () => readonly string[]
  /** Whether the ledger ended the job of this number before a time: a job that Gitea runs again keeps its id. */
  readonly endedBefore: (forgeJobId: number, at: Instant) => Promise<boolean>
}

export interface Gitea {
  readonly forge: Forge
  readonly webhooks: Webhooks
}

/** Gitea as a forge: its runners and jobs, and its messages. It has no list of what it sent. */
export function createGitea(options: GiteaOptions): Gitea {
  const { installation, webhookSecrets, endedBefore } = options
  const numbers = createNumbers(endedBefore)
  return {
    forge: createGiteaForge({ ...options, numbers }),
    webhooks: createGiteaWebhooks({ installation, secrets: webhookSecrets, numbers }),
  }
}
