import { createForgeCore } from '../../../sim/forge/core/index.ts'
import { seededEntropy } from '../../../sim/forge/core/seeded-entropy.ts'
import { startSimulatedForge } from '../../../sim/forge/http/index.ts'
import { forgeCalls, token, webhookSecret } from '../../../sim/forge/testing/kit.ts'
import { createForgeTwin } from '../../../sim/world/forge.ts'
import { createGitHubForge } from '../../../src/adapters/github/index.ts'
import { clock, entropy, recordedLog } from '../../support/machine.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { type ForgeUnderTest, forgeContract } from './index.ts'

const installation = 'simulated'

forgeContract('the GitHub adapter over HTTP', overHttp)
forgeContract("the simulation's twin", async () => twin())

async function overHttp(): Promise<ForgeUnderTest> {
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

function twin(): ForgeUnderTest {
  let now = 1_000_000
  const core = createForgeCore({ entropy: seededEntropy(1) })
  const tick = (): number => {
    now += 1_000
    return now
  }
  return {
    forge: createForgeTwin(core, installation, tick),
    installation,
    async submit({ repository, ...job }) {
      const run = { repository, workflow: 'ci', jobs: [{ ...job, script: '' }] }
      return core.submit(run, tick()).jobIds[0] as number
    },
    async cancel(id) {
      core.cancel(id, tick())
    },
    async connect(jit, program) {
      const connected = core.connect(jit, program, tick())
      if (connected.kind !== 'connected') return null
      const { session } = connected
      return {
        async take() {
          const polled = core.poll(session, tick())
          return polled.kind === 'job' ? polled.job.id : null
        },
        async finish(id, conclusion) {
          core.complete(session, id, conclusion, tick())
        },
      }
    },
    async [Symbol.asyncDispose]() {},
  }
}
