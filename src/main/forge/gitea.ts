import { createGitea } from '../../adapters/gitea/index.ts'
import type { ForgeSecrets } from '../../platform/config/index.ts'
import type { Network } from '../../platform/network/index.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Base } from '../base.ts'
import type { ForgeSide } from './side.ts'

interface Given {
  readonly installation: string
  readonly ledger: Ledger
  readonly secrets: () => ForgeSecrets
  readonly dispatcher: Network['dispatcher']
}

/** Gitea. It has no limit of calls and no list of its webhooks. */
export async function openGitea(
  { config, clock }: Base,
  { installation, ledger, secrets, dispatcher }: Given,
): Promise<ForgeSide> {
  const { url = '', scope } = config.forge
  const gitea = createGitea({
    ...{ url, installation, clock, dispatcher },
    token: () => secrets().token as string,
    webhookSecrets: () => secrets().webhookSecrets,
    scope: scope === 'enterprise' ? 'instance' : scope,
    async endedBefore(forgeJobId, at) {
      const job = await ledger.findJob(installation, forgeJobId)
      return job !== null && job.endedAt !== null && job.endedAt < at
    },
  })
  return {
    ...{ installation, kind: 'gitea', url, deliveries: null },
    ...gitea,
    stop: async () => {},
  }
}
