import { createGitea } from '../../adapters/gitea/index.ts'
import type { ForgeSecrets } from '../../platform/config/index.ts'
import type { Network } from '../../platform/network/index.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Base } from '../base.ts'
import type { ForgeSide } from './side.ts'

/** A start does not wait longer for a server that is away. */
const VERSION_MS_MAX = 5_000

interface Given {
  readonly installation: string
  readonly ledger: Ledger
  readonly secrets: () => ForgeSecrets
  readonly dispatcher: Network['dispatcher']
}

/** Gitea. It has no limit of calls and no list of its webhooks. */
export async function openGitea(
  { config, clock, log }: Base,
  { installation, ledger, secrets, dispatcher }: Given,
): Promise<ForgeSide> {
  const { url = '', scope } = config.forge
  const { versions, ...gitea } = createGitea({
    ...{ url, installation, clock, dispatcher, log },
    token: () => secrets().token as string,
    webhookSecrets: () => secrets().webhookSecrets,
    scope: scope === 'enterprise' ? 'instance' : scope,
    async endedBefore(forgeJobId, at) {
      const job = await ledger.findJob(installation, forgeJobId)
      return job !== null && job.endedAt !== null && job.endedAt < at
    },
  })
  // A server that does not answer now is asked again by the audit; its webhooks wait until then.
  await versions.read(AbortSignal.timeout(VERSION_MS_MAX)).catch((error: unknown) => {
    log.warn({ err: error }, 'which Gitea this is could not be read yet')
  })
  return {
    ...{ installation, kind: 'gitea', url, deliveries: null },
    ...gitea,
    stop: async () => {},
  }
}
