import { runCli } from '../cli/index.ts'
import { createClock } from '../platform/clock.ts'
import { keepMemoryOutOfCoreFiles } from '../platform/core-dumps.ts'
import { instanceIn, instancesOf } from './instance/index.ts'
import { createTextFile } from './machine/create-text-file.ts'
import { launcherCommand } from './machine/launcher-command.ts'
import { readTail } from './machine/read-tail.ts'
import { readTextFile } from './machine/read-text-file.ts'
import { version } from './version.ts'

const owner = { env: process.env, uid: process.getuid?.() ?? 0 }

keepMemoryOutOfCoreFiles()

/** Ends commands that watch; `up` and `sim forge` have their own orderly end. */
const interrupted = new AbortController()
if (!['up', 'sim', 'agent'].includes(process.argv[2] ?? '')) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
}

// The reader of our output may close the pipe, as `head` does: commands that watch end, servers go on.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    interrupted.abort()
  })
}

process.exitCode = await runCli(process.argv.slice(2), {
  // Each role is loaded on demand: `holdfast job` does not wait for the control plane's modules.
  roles: {
    async up(config, onServing, inputs) {
      const { configured, up } = await import('./up/index.ts')
      return up(config, { onServing, inputs, owner }, configured)
    },
    async migrate(config, options) {
      const { migrateLedger } = await import('./commands/migrate.ts')
      return migrateLedger(config, options, interrupted.signal)
    },
    async examine(config) {
      const { examine } = await import('./commands/examine/index.ts')
      return examine(config)
    },
    async rotateKeys(...given) {
      const { rotateKeys } = await import('./commands/rotate-keys.ts')
      return rotateKeys(...given)
    },
    async uninstall(config, order) {
      const { uninstall } = await import('./commands/uninstall/index.ts')
      return uninstall(config, order, interrupted.signal)
    },
    async simForge(...given) {
      const { runSimulatedForge } = await import('./commands/sim-forge.ts')
      return runSimulatedForge(...given)
    },
    async agent(...given) {
      const { startAgent } = await import('./agent/start.ts')
      return startAgent(...given)
    },
    async readForeignRunner(...given) {
      const { readForeignRunner } = await import('./commands/read-foreign-runner.ts')
      return readForeignRunner(...given)
    },
    async collectSnapshot(...given) {
      const { collect } = await import('./commands/snapshot/index.ts')
      return collect(...given)
    },
    async readSnapshot(file) {
      const { readSnapshotFile } = await import('./commands/snapshot/index.ts')
      return readSnapshotFile(file)
    },
    async writeSnapshot(...given) {
      const { writeSnapshotFile } = await import('./commands/snapshot/index.ts')
      return writeSnapshotFile(...given)
    },
    async lookAtRunnerHost(...given) {
      const { lookAtRunnerHost } = await import('./commands/look-at-runner-host.ts')
      return lookAtRunnerHost(...given)
    },
    async reap(...given) {
      const { reap } = await import('./commands/remedy/index.ts')
      return reap(...given)
    },
    async fix(...given) {
      const { fix } = await import('./commands/remedy/index.ts')
      return fix(...given)
    },
    async managedApply(...given) {
      const { managedApply } = await import('./commands/remedy/index.ts')
      return managedApply(...given)
    },
    async readApplies(config) {
      const { readApplies } = await import('./commands/remedy/index.ts')
      return readApplies(config)
    },
    async treatHost(...given) {
      const { treatHost } = await import('./commands/remedy/index.ts')
      return treatHost(...given)
    },
    async probe(...given) {
      const { probe } = await import('./commands/remedy/index.ts')
      return probe(...given)
    },
    async readTrail(...given) {
      const { readTrail } = await import('./commands/remedy/index.ts')
      return readTrail(...given)
    },
    createTextFile,
  },
  env: process.env,
  readFile: readTextFile,
  readTail,
  isRoot: process.getuid?.() === 0,
  instances: { in: instanceIn, all: () => instancesOf(owner) },
  self: launcherCommand(process.env),
  stdout: process.stdout,
  stderr: process.stderr,
  isTerminal: process.stdout.isTTY === true,
  isErrorTerminal: process.stderr.isTTY === true,
  columns: process.stdout.columns,
  fetch,
  clock: createClock(),
  signal: interrupted.signal,
  version,
})
