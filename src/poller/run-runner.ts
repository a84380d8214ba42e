import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { constants } from 'node:os'
import path from 'node:path'
import { withWholeCoreFiles } from '../platform/core-dumps.ts'
import { childEnvironment, type PollerSettings, userEnvironment } from './environment.ts'

export interface Running {
  readonly child: ChildProcess
  readonly exitCode: Promise<number>
}

/**
 * Starts the runner's program with `--jitconfig-file <path>`: a file that only its user may read, outside of
 * the job's working folder. The program reads and unlinks it before it runs anything; else it is removed here.
 * Neither arguments nor environment carry the configuration: both can be read by every process.
 *
 * The program leads a process group of its own, so that a stop reaches it once, through the poller.
 */
export async function runRunner(settings: PollerSettings, jit: string): Promise<Running> {
  const { command, secretFile, runAs } = settings
  const file = path.join(runAs?.home ?? path.dirname(secretFile), 'jitconfig')
  await rm(file, { force: true })
  await writeConfiguration(file, jit, runAs)
  const [program, ...args] = [...(runAs?.through ?? []), ...command, '--jitconfig-file', file]
  const options: SpawnOptions = {
    ...(runAs === null
      ? { env: childEnvironment(process.env) }
      : { env: userEnvironment(process.env, runAs), cwd: path.join(runAs.home, 'work') }),
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  }
  const child = withWholeCoreFiles(() => spawn(program as string, args, options))
  return { child, exitCode: exitCodeOf(child).finally(() => rm(file, { force: true })) }
}

/** The file that was created is given away, and not whatever has its name by then: a sibling of the same user could put a link there. */
async function writeConfiguration(file: string, jit: string, runAs: PollerSettings['runAs']): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(jit)
    if (runAs !== null) await handle.chown(runAs.uid, runAs.uid)
  } finally {
    await handle.close()
  }
}

/** The exit code as a shell has it: a signal is 128 and its number, a program that cannot be started is 127. */
function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`holdfast poller: the runner's program could not be started: ${error.message}\n`)
      resolve(127)
    })
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']))
  })
}
