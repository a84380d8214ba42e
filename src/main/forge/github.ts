import { apiUrl, type Credentials, createGitHub, type RunnerScope } from '../../adapters/github/index.ts'
import type { SharedBudget } from '../../budget/index.ts'
import type { Config, ForgeSecrets } from '../../platform/config/index.ts'
import type { Network } from '../../platform/network/index.ts'
import type { Base } from '../base.ts'
import type { ForgeSide } from './side.ts'

const webhookPath = '/webhooks/forge'
const githubUrl = 'https://github.com'

export async function openGitHub(
  { config, clock, log }: Base,
  given: {
    readonly installation: string
    readonly webhookUrl: string
    readonly secrets: () => ForgeSecrets
    readonly budget: SharedBudget
    readonly dispatcher: Network['dispatcher']
  },
): Promise<ForgeSide> {
  const { url = githubUrl } = config.forge
  const { installation, secrets, budget, dispatcher } = given
  // With a token, the hooks that are ours are known by this address.
  const { publicUrl } = config.http
  const webhookUrl = publicUrl === undefined ? given.webhookUrl : `${publicUrl}${webhookPath}`
  const github = createGitHub({
    ...{ installation, webhookUrl, clock, log, dispatcher },
    budget: budget.of,
    apiUrl: apiUrl(url),
    credentials: credentialsOf(config, secrets),
    scope: scopeOf(config),
    webhookSecrets: () => secrets().webhookSecrets,
  })
  return { ...github, installation, kind: 'github', url, stop: async () => github.close() }
}

/** The configuration was checked: an App has its id and key, and without an App there is a token. */
function credentialsOf({ forge: { app } }: Config, secrets: () => ForgeSecrets): Credentials {
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
