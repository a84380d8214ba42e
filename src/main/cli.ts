import { runCli } from '../cli/index.ts'
import { createClock } from '../platform/clock.ts'
import { migrateLedger } from './migrate.ts'
import { readTextFile } from './read-file.ts'
import { rotateKeys } from './rotate-keys.ts'
import { simForge } from './sim-forge.ts'
import { up } from './up.ts'
import { version } from './version.ts'

/** Ends commands that watch; `up` and `sim forge` have their own orderly end. */
const interrupted = new AbortController()
if (!['up', 'sim'].includes(process.argv[2] ?? '')) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
}

// Whoever read our output may have had enough, as `head` has: what watches ends, what serves goes on.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    interrupted.abort()
  })
}

process.exitCode = await runCli(process.argv.slice(2), {
  roles: {
    up: (config, onServing, inputs) => up(config, { onServing, inputs }),
    migrate: (config, options) => migrateLedger(config, options, interrupted.signal),
    rotateKeys,
    simForge,
  },
  env: process.env,
  readFile: readTextFile,
  isRoot: process.getuid?.() === 0,
  stdout: process.stdout,
  stderr: process.stderr,
  isTerminal: process.stdout.isTTY === true,
  columns: process.stdout.columns,
  fetch,
  clock: createClock(),
  signal: interrupted.signal,
  version,
})
