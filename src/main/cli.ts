import { runCli } from '../cli/index.ts'
import { createClock } from '../platform/clock.ts'
import { instanceIn, instancesOf } from './instance/index.ts'
import { readTextFile } from './read-file.ts'
import { readNewest } from './read-newest.ts'
import { selfCommand } from './self-command.ts'
import { version } from './version.ts'

const asker = { env: process.env, uid: process.getuid?.() ?? 0 }

/** Ends commands that watch; `up` and `sim forge` have their own orderly end. */
const interrupted = new AbortController()
if (!['up', 'sim', 'agent'].includes(process.argv[2] ?? '')) {
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
  // Each is loaded when it is wanted: who asks for a job's page does not wait for the control plane's sources.
  roles: {
    async up(config, onServing, inputs) {
      const { up } = await import('./up.ts')
      return up(config, { onServing, inputs, asker })
    },
    async migrate(config, options) {
      const { migrateLedger } = await import('./migrate.ts')
      return migrateLedger(config, options, interrupted.signal)
    },
    async examine(config) {
      const { examine } = await import('./examine/index.ts')
      return examine(config)
    },
    async rotateKeys(...given) {
      const { rotateKeys } = await import('./rotate-keys.ts')
      return rotateKeys(...given)
    },
    async uninstall(config, order) {
      const { uninstall } = await import('./uninstall/index.ts')
      return uninstall(config, order, interrupted.signal)
    },
    async simForge(...given) {
      const { simForge } = await import('./sim-forge.ts')
      return simForge(...given)
    },
    async agent(...given) {
      const { agent } = await import('./agent.ts')
      return agent(...given)
    },
    async readForeignRunner(...given) {
      const { readForeignRunner } = await import('./read-foreign-runner.ts')
      return readForeignRunner(...given)
    },
  },
  env: process.env,
  readFile: readTextFile,
  readNewest,
  isRoot: process.getuid?.() === 0,
  instances: { in: instanceIn, all: () => instancesOf(asker) },
  self: selfCommand(process.env),
  stdout: process.stdout,
  stderr: process.stderr,
  isTerminal: process.stdout.isTTY === true,
  columns: process.stdout.columns,
  fetch,
  clock: createClock(),
  signal: interrupted.signal,
  version,
})
