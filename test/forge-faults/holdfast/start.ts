import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./program.ts', import.meta.url))
const stopBoundMs = 40_000

export interface Holdfast {
  readonly alive: () => boolean
  /** Ends it politely; gives how it ended. */
  stop(): Promise<{ readonly code: number | null; readonly signal: string | null }>
}

/** Starts the program in a process of its own and waits until it serves. Its log is next to the data folder. */
export async function startHoldfast(
  dataDir: string,
  env: Readonly<Record<string, string>>,
): Promise<Holdfast> {
  await mkdir(dataDir, { recursive: true })
  const logFile = path.join(dataDir, '..', 'holdfast.log')
  const log = openSync(logFile, 'a')
  const child: ChildProcess = fork(program, {
    stdio: ['ignore', log, log, 'ipc'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOLDFAST_DATA_DIR: dataDir,
      HOLDFAST_LOG_FORMAT: 'json',
      ...env,
    },
  })
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  await Promise.race([
    once(child, 'message'),
    exited.then(({ code, signal }) => {
      throw new Error(`Holdfast ended with ${signal ?? code} before it served; see ${logFile}`)
    }),
  ])
  return {
    alive: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      const impatient = setTimeout(() => child.kill('SIGKILL'), stopBoundMs)
      child.kill('SIGTERM')
      const ended = await exited
      clearTimeout(impatient)
      return ended
    },
  }
}
