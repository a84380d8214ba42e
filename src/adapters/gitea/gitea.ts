import type { Instant } from '../../domain/time.ts'
import type { Forge } from '../../ports/forge.ts'
import type { Log } from '../../ports/log.ts'
import type { Webhooks } from '../../ports/webhooks.ts'
import { type CallOptions, createCall } from './call.ts'
import { createGiteaForge, type GiteaForgeOptions } from './forge.ts'
import { createNumbers } from './numbers.ts'
import { createVersions, type Versions } from './version.ts'
import { createGiteaWebhooks } from './webhook.ts'

const defaultTimeoutMs = 15_000

export interface GiteaOptions
  extends Omit<GiteaForgeOptions, 'numbers' | 'versions' | 'call'>,
    Omit<CallOptions, 'timeoutMs'> {
  readonly timeoutMs?: number
  /** Every secret that is valid now. */
  readonly webhookSecrets: () => readonly string[]
  /** Whether the ledger ended the job of this number before a time: a job that Gitea runs again may keep its id. */
  readonly endedBefore: (forgeJobId: number, at: Instant) => Promise<boolean>
  readonly log: Log
}

export interface Gitea {
  readonly forge: Forge
  readonly webhooks: Webhooks
  readonly versions: Versions
}

/** Gitea as a forge: its runners and jobs, and its webhooks. It has no list of its deliveries. */
export function createGitea(options: GiteaOptions): Gitea {
  const { installation, webhookSecrets, endedBefore, log, timeoutMs = defaultTimeoutMs } = options
  const call = createCall({ ...options, timeoutMs })
  const versions = createVersions(call, log)
  const numbers = createNumbers(endedBefore, () => versions.current()?.counting ?? null)
  return {
    forge: createGiteaForge({ ...options, call, numbers, versions }),
    webhooks: createGiteaWebhooks({ installation, secrets: webhookSecrets, numbers }),
    versions,
  }
}
