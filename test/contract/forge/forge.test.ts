import { createForgeCore } from '../../../sim/forge/core/index.ts'
import { seededEntropy } from '../../../sim/forge/core/seeded-entropy.ts'
import { createForgeTwin } from '../../../sim/world/forge.ts'
import { type ForgeUnderTest, forgeContract } from './index.ts'

const installation = 'simulated'

forgeContract("the simulation's twin", async () => twin())

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
    async submit({ repository, fork, ...job }) {
      const run = { repository, fork, workflow: 'ci', jobs: [{ ...job, script: '' }] }
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
