import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The real program, with the crash test's points between it and its effects. */
const program = fileURLToPath(new URL('../../crash/program.ts', import.meta.url))
/** As people start it; it does not say that it serves. */
const commandLine = fileURLToPath(new URL('../../../src/main/cli.ts', import.meta.url))
const servesWithinMs = 60_000

export interface Place {
  /** Its own folder; its log is next to it. */
  readonly dataDir: string
  readonly port: number
  /** Settings that all Holdfasts of a test share. */
  readonly env: Readonly<Record<string, string>>
  /** Whether it is started as people do, by `holdfast up`. */
  readonly byHand?: boolean | undefined
}

/** One life of the real program. */
export interface Life {
  readonly pid: number
  readonly url: string
  /** Rejects where it ends before it serves. */
  readonly serving: Promise<void>
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>
  signal(signal: NodeJS.Signals): void
  /** The operator's token, once it serves. */
  token(): Promise<string>
  log(): Promise<string>
}

/** Starts Holdfast; `crashAt` such as `host.start:after:2` makes it kill itself there. */
export async function startHoldfast(
  { dataDir, port, env, byHand = false }: Place,
  crashAt?: string,
): Promise<Life> {
  await mkdir(dataDir, { recursive: true })
  const logFile = `${dataDir}.log`
  const out = openSync(logFile, 'a')
  const child: ChildProcess = fork(byHand ? commandLine : program, byHand ? ['up'] : [], {
    stdio: ['ignore', out, out, 'ipc'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...(crashAt !== undefined && { CRASH_AT: crashAt }),
      HOLDFAST_DATA_DIR: dataDir,
      HOLDFAST_HTTP_PORT: `${port}`,
      HOLDFAST_LOG_FORMAT: 'json',
      HOLDFAST_LOG_LEVEL: 'debug',
      ...env,
    },
  })
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  const serving = new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    setTimeout(() => reject(new Error(`not serving within ${servesWithinMs} ms`)), servesWithinMs).unref()
    exited.then(
      async ({ code, signal }) =>
        reject(new Error(`ended with ${signal ?? code} before it served:\n${await tailOf(logFile)}`)),
      reject,
    )
  })
  serving.catch(() => undefined) // a test that kills it early does not wait for it
  return {
    pid: child.pid as number,
    url: `http://127.0.0.1:${port}`,
    serving,
    exited,
    signal: (signal) => void child.kill(signal),
    token: async () => (await readFile(path.join(dataDir, 'operator-token'), 'utf8')).trim(),
    log: () => readFile(logFile, 'utf8'),
  }
}

async function tailOf(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).split('\n').slice(-20).join('\n')
}
