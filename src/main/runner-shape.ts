import { fileURLToPath } from 'node:url'
import type { RunnerShape } from '../adapters/process/index.ts'
import type { Config } from '../platform/config/index.ts'

const pollerProgram = fileURLToPath(new URL('../poller/main.ts', import.meta.url))
const simulatedRunner = fileURLToPath(new URL('../../sim/runner/main.ts', import.meta.url))

/** What the local runners of a pool run: the poller, which then runs the pool's runner program. */
export function runnerShape(config: Config, serverUrl: string): (pool: string) => RunnerShape {
  return (name) => {
    const pool = config.pools.find((candidate) => candidate.name === name)
    const command = pool?.runnerCommand ?? [process.execPath, simulatedRunner]
    return {
      command: [process.execPath, pollerProgram],
      env: {
        PATH: process.env.PATH ?? '/usr/bin:/bin',
        LANG: 'C.UTF-8',
        HOLDFAST_URL: serverUrl,
        HOLDFAST_POLL_MS: String(config.dispatch.pollMs),
        HOLDFAST_RUNNER_COMMAND: JSON.stringify(command),
      },
      limits: pool?.limits ?? {},
    }
  }
}
