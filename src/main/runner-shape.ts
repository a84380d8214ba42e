import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Isolation, type RunnerShape, reachableProgram } from '../adapters/process/index.ts'
import type { Config } from '../platform/config/index.ts'
import { pollerCommand } from '../poller/index.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const simulatedRunner = fileURLToPath(new URL('../../sim/runner/main.ts', import.meta.url))
const giteaRunner = fileURLToPath(new URL('../../runners/gitea/main.ts', import.meta.url))

/** The runner program that comes with Holdfast, as a runner's user can start it where runners have users of their own. */
export async function ownRunner({ forge }: Config, isolation: Isolation | null): Promise<readonly string[]> {
  const isGitea = forge.kind === 'gitea'
  const main = isGitea ? giteaRunner : simulatedRunner
  if (isolation === null) return [process.execPath, main]
  return reachableProgram(isolation, {
    node: process.execPath,
    main,
    root,
    packages: isGitea ? ['yaml'] : [],
  })
}

/** What the local runners of a pool run: the poller, which then runs the pool's runner program. */
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
