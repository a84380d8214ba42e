import {
  apiUrl,
  type Connection,
  type Credentials,
  createGitHub,
  createGitHubFacts,
  createGitHubForge,
  createGitHubRemedyForge,
  openConnection,
  type RunnerScope,
  siteHost,
} from '../../../adapters/github/index.ts'
import type { Config } from '../../../platform/config/index.ts'
import { openNetwork } from '../../../platform/network/index.ts'
import type { StoredCredential } from '../../../ports/arc-credential.ts'
import type { ForgeFactsReader } from '../../../ports/forge-facts.ts'
import type { RemedyForge } from '../../../ports/remedy.ts'
import type { ProofSources } from '../../../remedy/index.ts'
import type { Base } from '../../base.ts'
import { bundledRunner } from '../bundled-runner.ts'
import type { ForgeAdapter, ForgeDeps } from '../forge-adapter.ts'
import type { ForgeModule } from '../forge-module.ts'

const webhookPath = '/webhooks/forge'
/** Where GitHub is, unless the settings name a server. */
const githubUrl = 'https://github.com'

/** GitHub, in the cloud or as GitHub Enterprise Server. */
export const forgeModule: ForgeModule = {
  serverUrl: ({ url = githubUrl }) => apiUrl(url),
  ports: () => [],
  runner: bundledRunner,
  open,
  openFacts,
  openProofForge,
  openRemedyForge,
}

async function open(
  { config, clock, log }: Base,
  { installation, webhookUrl, secrets, budget, dispatcher }: ForgeDeps,
): Promise<ForgeAdapter> {
  const { url = githubUrl } = config.forge
  const { publicUrl } = config.http
  const { forge, webhooks, deliveries, close } = createGitHub({
    installation,
    // With a token, our hooks are recognised by this address.
    webhookUrl: publicUrl === undefined ? webhookUrl : `${publicUrl}${webhookPath}`,
    clock,
    log,
    dispatcher,
    budget: budget.of,
    apiUrl: apiUrl(url),
    credentials: credentialsOf(config, secrets),
    scope: scopeOf(config),
    webhookSecrets: () => secrets().webhookSecrets,
  })
  return { installation, kind: 'github', url, forge, webhooks, deliveries, stop: async () => close() }
}

/** Connects when it is asked, and for one reading. */
function openFacts(base: Base): ForgeFactsReader | null {
  const host = hostWithCredential(base)
  if (host === null) return null
  return {
    host,
    async readForgeFacts(order, signal) {
      const { connection, close } = connect(base)
      try {
        return await createGitHubFacts(connection, host).readForgeFacts(order, signal)
      } finally {
        await close()
      }
    },
  }
}

function openRemedyForge(base: Base, other?: StoredCredential): (RemedyForge & AsyncDisposable) | null {
  const host = hostWithCredential(base)
  if (host === null) return null
  const { connection, close } = connect(base, other === undefined ? undefined : storedCredentials(other))
  return { ...createGitHubRemedyForge(connection, host), [Symbol.asyncDispose]: close }
}

function openProofForge(base: Base): (ProofSources & AsyncDisposable & { readonly host: string }) | null {
  const host = hostWithCredential(base)
  if (host === null) return null
  const { connection, close } = connect(base)
  const forge = createGitHubForge(connection, { installation: host, log: base.log })
  return { host, forge, installation: host, [Symbol.asyncDispose]: close }
}

function hostWithCredential({ config }: Base): string | null {
  const { url = githubUrl, token, app } = config.forge
  return token === undefined && app.id === undefined ? null : siteHost(url)
}

function connect(
  { config, clock }: Base,
  credentials: Credentials = credentialsOf(config, () => config.forge),
): { readonly connection: Connection; close(): Promise<void> } {
  const { url = githubUrl, proxy, caFile } = config.forge
  const { dispatcher, close } = openNetwork({ proxy, caFile, env: process.env })
  const connection = openConnection({ apiUrl: apiUrl(url), credentials, clock, dispatcher })
  return {
    connection,
    close() {
      connection.close()
      return close()
    },
  }
}

function storedCredentials(stored: StoredCredential): Credentials {
  if (stored.kind === 'token') return { kind: 'token', token: () => stored.token }
  const { id, privateKey, installationId } = stored
  return { kind: 'app', id: () => id, privateKey: () => privateKey, installationId }
}

/** The configuration was checked: an App has its id and key, and without an App there is a token. */
function credentialsOf(
  { forge: { app } }: Config,
  secrets: () => Pick<Config['forge'], 'token' | 'app'>,
): Credentials {
  if (app.id === undefined) return { kind: 'token', token: () => secrets().token as string }
  return {
    kind: 'app',
    id: () => secrets().app.id as string,
    privateKey: () => secrets().app.privateKey as string,
    installationId: app.installationId,
  }
}

function scopeOf({ forge: { scope, enterprise = '', runnerGroup } }: Config): RunnerScope {
  if (scope === 'repository') return { kind: 'repository' }
  return scope === 'organisation'
    ? { kind: 'organisation', runnerGroup }
    : { kind: 'enterprise', enterprise, runnerGroup }
}
