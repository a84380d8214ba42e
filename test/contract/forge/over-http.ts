import { startSimulatedForge } from '../../../sim/forge/http/index.ts'
import { forgeCalls, token, webhookSecret } from '../../../sim/forge/testing/kit.ts'
import { createGitHubForge } from '../../../src/adapters/github/index.ts'
import { clock, entropy, recordedLog } from '../../support/machine.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import type { ForgeUnderTest } from './index.ts'

/** The GitHub adapter and the simulated forge, with real HTTP between them. */
export async function overHttp(installation: string): Promise<ForgeUnderTest & { readonly url: string }> {
  const folder = await temporaryFolder()
  const log = recordedLog()
  const server = await startSimulatedForge({
    ...{ folder: folder.path, port: 0, token, webhookUrl: null, webhookSecret },
    // A question that finds no job is answered soon, so that a test can see that there is none.
    delays: { pollHoldMs: 20 },
    ...{ clock, entropy, log },
  })
  const calls = forgeCalls(server.url)
  return {
    url: server.url,
    forge: createGitHubForge({ baseUrl: server.url, token: () => token, installation, clock, log }),
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
      await server.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}
