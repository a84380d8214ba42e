import { fileURLToPath } from 'node:url'
import { names } from './environment.ts'

export interface PollerOptions {
  /** Where this Holdfast serves runners. */
  readonly url: string
  /** The program that takes one job: called with `--jitconfig-file <path>` appended. */
  readonly runnerCommand: readonly string[]
  /** How long the server holds a question open. */
  readonly pollMs: number
  /** For compiled sources: with it the poller asks for its first job some 50 ms earlier. */
  readonly cacheFolder: string
}

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

/** How a host starts the poller: its command, and the environment that this command needs. */
export function pollerCommand({ url, runnerCommand, pollMs, cacheFolder }: PollerOptions): {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
} {
  return {
    command: [process.execPath, '--disable-warning=ExperimentalWarning', MAIN],
    env: {
      [names.url]: url,
      [names.command]: JSON.stringify(runnerCommand),
      [names.pollMs]: String(pollMs),
      NODE_COMPILE_CACHE: cacheFolder,
    },
  }
}
