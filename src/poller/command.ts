import { fileURLToPath } from 'node:url'
import { names } from './environment.ts'

export interface PollerOptions {
  /** The address at which this Holdfast serves runners. */
  readonly url: string
  /** The program that takes one job: called with `--jitconfig-file <path>` appended. */
  readonly runnerCommand: readonly string[]
  /** The server's long-poll time. */
  readonly pollMs: number
  /** The cache of compiled sources: with it the poller asks for its first job some 50 ms earlier. */
  readonly cacheFolder: string
}

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

/** The command with which a host starts the poller, and the environment that it needs. */
export function pollerCommand({ url, runnerCommand, pollMs, cacheFolder }: PollerOptions): {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
} {
  return {
    command: [process.execPath, '--disable-warning=ExperimentalWarning', main],
    env: {
      [names.url]: url,
      [names.command]: JSON.stringify(runnerCommand),
      [names.pollMs]: String(pollMs),
      NODE_COMPILE_CACHE: cacheFolder,
    },
  }
}
