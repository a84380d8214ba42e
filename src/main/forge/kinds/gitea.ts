import { fileURLToPath } from 'node:url'
import { createGitea, createGiteaFacts } from '../../../adapters/gitea/index.ts'
import { openNetwork } from '../../../platform/network/index.ts'
import type { ForgeFactsReader } from '../../../ports/forge-facts.ts'
import type { Base } from '../../base.ts'
import type { ForgeAdapter, ForgeDeps } from '../forge-adapter.ts'
import type { ForgeModule } from '../forge-module.ts'

/** A start does not wait longer for a server that is away. */
const versionReadMsMax = 5_000

/** Gitea has no limit of calls and no list of its webhooks. */
export const forgeModule: ForgeModule = {
  serverUrl: ({ url = '' }) => url,
  ports: () => [],
  runner: {
    main: fileURLToPath(new URL('../../../../runners/gitea/main.ts', import.meta.url)),
    packages: ['yaml'],
  },
  open,
  openFacts,
  // Remedies are ARC's, and ARC knows GitHub alone.
  openProofForge: () => null,
  openRemedyForge: () => null,
}

async function open(
  { config, clock, log }: Base,
  { installation, ledger, secrets, dispatcher }: ForgeDeps,
): Promise<ForgeAdapter> {
  const { url = '', scope } = config.forge
  const { versions, forge, webhooks } = createGitea({
    url,
    installation,
    clock,
    dispatcher,
    log,
    token: () => secrets().token as string,
    webhookSecrets: () => secrets().webhookSecrets,
    scope: scope === 'enterprise' ? 'instance' : scope,
    async endedBefore(forgeJobId, at) {
      const job = await ledger.findJob(installation, forgeJobId)
      return job !== null && job.endedAt !== null && job.endedAt < at
    },
  })
  // A server that does not answer now is asked again by the audit; its webhooks wait until then.
  await versions.read(AbortSignal.timeout(versionReadMsMax)).catch((error: unknown) => {
    log.warn({ err: error }, 'could not read the version of Gitea yet')
  })
  return {
    installation,
    kind: 'gitea',
    url,
    forge,
    webhooks,
    deliveries: null,
    stop: async () => {},
  }
}

/** Connects when it is asked, and for one reading. */
function openFacts({ config, clock, log }: Base): ForgeFactsReader | null {
  const { url, token, proxy, caFile } = config.forge
  if (url === undefined || token === undefined) return null
  const options = { url, token: () => token, clock, log }
  return {
    ...createGiteaFacts(options),
    async readForgeFacts(order, signal) {
      const { dispatcher, close } = openNetwork({ proxy, caFile, env: process.env })
      try {
        return await createGiteaFacts({ ...options, dispatcher }).readForgeFacts(order, signal)
      } finally {
        await close()
      }
    },
  }
}
