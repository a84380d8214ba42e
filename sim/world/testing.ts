import { createForgeCore } from '../forge/core/index.ts'
import { calmFaults } from './faults.ts'
import { createHistory, type History } from './history.ts'
import { createRandom } from './random.ts'
import type { RunnerWorld } from './runner.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'

const lookEveryMs = 100
const patienceMs = 5 * 60_000

/** A world in which runners ask for jobs, get one when the test says so, and never reach the forge. */
export interface IdleWorld {
  readonly world: RunnerWorld & { readonly history: History }
  readonly scheduler: Scheduler
  /** The next poll of this runner is answered with a job. */
  giveJob(name: string): void
  until(what: string, holds: () => Promise<boolean>): Promise<void>
}

export function createIdleWorld(): IdleWorld {
  const scheduler = createScheduler()
  const history = createHistory(scheduler.now)
  const random = createRandom(1)
  const faults = calmFaults()
  const given = new Set<string>()
  const unreachable = () => {
    throw new Error('the forge is out of reach')
  }
  return {
    scheduler,
    giveJob: (name) => void given.add(name),
    async until(what, holds) {
      const end = scheduler.now() + patienceMs
      while (!(await holds())) {
        if (scheduler.now() > end) throw new Error(`waited in vain: ${what}`)
        await scheduler.run(
          scheduler.now() + lookEveryMs,
          () => undefined,
          () => false,
        )
      }
    },
    world: {
      scheduler,
      random,
      history,
      faults: faults.runner,
      network: { scheduler, random: random.fork('network'), history, faults: faults.network },
      core: { ...createForgeCore({ entropy: random.fork('forge'), choose: 'oldest' }), connect: unreachable },
      server: () => ({
        poll: async (name) =>
          given.has(name)
            ? { kind: 'job', handle: `handle of ${name}`, jit: `jit of ${name}`, jobId: 1 }
            : { kind: 'nothing' },
        acknowledge: async () => 'acknowledged',
      }),
      workOf: () => ({ durationMs: 1, conclusion: 'success' }),
      onJit: () => undefined,
      onStop: () => undefined,
      onFall: () => undefined,
      reclaims: random.fork('reclaims'),
    },
  }
}
