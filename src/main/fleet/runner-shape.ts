import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Isolation, type RunnerShape, reachableProgram } from '../../adapters/process/index.ts'
import type { Config } from '../../platform/config/index.ts'
import { pollerCommand } from '../../poller/index.ts'
import { loadForgeModule } from '../forge/index.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The command of the runner program that comes with Holdfast; isolated runners get a copy that their users can read. */
export async function ownRunner({ forge }: Config, isolation: Isolation | null): Promise<readonly string[]> {
  const { main, packages } = (await loadForgeModule(forge.kind)).runner
  if (isolation === null) return [process.execPath, main]
  return reachableProgram(isolation, {
    node: process.execPath,
    main,
    root,
    packages,
  })
}

/** Local runners run the poller, which then runs the pool's runner program. */
export function runnerShape(
  config: Config,
  serverUrl: string,
  ownCommand: readonly string[],
): (pool: string) => RunnerShape {
  return (name) => {
    const pool = config.pools.find((candidate) => candidate.name === name)
    const { command, env } = pollerCommand({
      url: serverUrl,
      runnerCommand: pool?.runnerCommand ?? ownCommand,
      pollMs: config.dispatch.pollMs,
      cacheFolder: path.join(config.dataDir, 'cache', 'poller'),
    })
    return {
      command,
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LANG: 'C.UTF-8', ...env },
      limits: pool?.limits ?? {},
      runsJobAsChild: true, // the poller starts the runner's program once it has a job
    }
  }
}
