import { type ChildProcess, spawn } from 'node:child_process'
import { chown, rm, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import path from 'node:path'
import { childEnvironment, type PollerSettings, userEnvironment } from './environment.ts'

export interface Running {
  readonly child: ChildProcess
  readonly exitCode: Promise<number>
}

/**
 * Starts the runner's program with `--jitconfig-file <path>`: a file that only its user may read, outside of
 * the job's working folder. The program reads and unlinks it before it runs anything; what it leaves is removed
 * here. Neither arguments nor environment carry the configuration: both can be read by every process.
 *
 * The program leads a process group of its own, so that a stop reaches it once, through the poller.
 */
export async function runRunner(settings: PollerSettings, jit: string): Promise<Running> {
  const { command, secretFile, runAs } = settings
  const file = path.join(runAs?.home ?? path.dirname(secretFile), 'jitconfig')
  await rm(file, { force: true })
  await writeFile(file, jit, { mode: 0o600, flag: 'wx' })
  if (runAs !== null) await chown(file, runAs.uid, runAs.uid)
  const [program, ...args] = [...(runAs?.through ?? []), ...command, '--jitconfig-file', file]
  const child = spawn(program as string, args, {
    ...(runAs === null
      ? { env: childEnvironment(process.env) }
      : { env: userEnvironment(process.env, runAs), cwd: path.join(runAs.home, 'work') }),
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  return { child, exitCode: exitCodeOf(child).finally(() => rm(file, { force: true })) }
}

/** As a shell gives it: a signal is 128 and its number, a program that cannot be started is 127. */
function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`holdfast poller: the runner's program could not be started: ${error.message}\n`)
      resolve(127)
    })
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']))
  })
}
