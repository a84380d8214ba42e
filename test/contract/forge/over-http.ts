import { token, webhookSecret } from '../../../sim/forge/testing/kit.ts'
import {
  type Credentials,
  createGitHub,
  type GitHub,
  type RunnerScope,
} from '../../../src/adapters/github/index.ts'
import { clock, recordedLog } from '../../support/machine.ts'
import { appId, type ContractForge, privateKey, startContractForge } from '../github/forge.ts'
import type { ForgeUnderTest } from './index.ts'

export interface OverHttpOptions {
  /** As the App, or as one of its installations alone; a token otherwise. */
  readonly app?: 'all' | number
  readonly scope?: RunnerScope
  readonly webhookUrl?: string
  /** The prefix of the API's paths. */
  readonly prefix?: string
}

export type OverHttp = ForgeUnderTest & GitHub & Pick<ContractForge, 'calls'> & { readonly url: string }

/** The GitHub adapter and the simulated forge, with real HTTP between them. */
export async function overHttp(installation: string, options: OverHttpOptions = {}): Promise<OverHttp> {
  const { app, scope = { kind: 'repository' }, webhookUrl, prefix = '' } = options
  const simulated = await startContractForge({ hasApp: app !== undefined })
  const { server, calls } = simulated
  if (webhookUrl !== undefined) server.sendWebhooksTo(webhookUrl)
  const github = createGitHub({
    apiUrl: `${server.url}${prefix}`,
    credentials: credentialsOf(app),
    installation,
    scope,
    webhookUrl,
    webhookSecrets: () => [webhookSecret],
    clock,
    log: recordedLog(),
  })
  return {
    ...github,
    calls,
    url: server.url,
    installation,
    submit: (order) => calls.submit(order),
    async cancel(id) {
      await calls.send('POST', `/_sim/jobs/${id}/cancel`)
    },
    async connect(jit, program) {
      const connected = await calls.connect(jit, program)
      if (connected.status !== 200) return null
      const { session } = connected.body
      return {
        async take() {
          const answer = await calls.send('GET', '/_runner/job', undefined, session)
          return answer.status === 200 ? answer.body.id : null
        },
        async finish(id, conclusion) {
          await calls.send('POST', `/_runner/jobs/${id}/complete`, { conclusion }, session)
        },
      }
    },
    async [Symbol.asyncDispose]() {
      github.close()
      await simulated[Symbol.asyncDispose]()
    },
  }
}

function credentialsOf(app: OverHttpOptions['app']): Credentials {
  if (app === undefined) return { kind: 'token', token: () => token }
  const identity = { kind: 'app', id: () => String(appId), privateKey: () => privateKey } as const
  return app === 'all' ? identity : { ...identity, installationId: app }
}
