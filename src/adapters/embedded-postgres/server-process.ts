import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import pg from 'pg'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Binaries } from './binaries.ts'
import { readIfThere } from './files.ts'
import type { Layout } from './layout.ts'
import { nameForServer } from './reach.ts'
import { type Account, childEnvironment, identity } from './run.ts'
import type { ServerLog } from './server-log.ts'
import { type Settings, settingArguments } from './settings.ts'

export interface ServerExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly lastLines: readonly string[]
}

export interface ServerProcess {
  readonly pid: number
  readonly exited: Promise<ServerExit>
  stop(): Promise<void>
}

export interface Launch {
  readonly layout: Layout
  readonly binaries: Binaries
  readonly account: Account | undefined
  readonly settings: Settings
  readonly serverLog: ServerLog
  readonly clock: Clock
  readonly log: Log
}

const fastStopMs = 15_000
const immediateStopMs = 5_000
/** After a crash it replays at most max_wal_size of log, which takes seconds; a slow disk gets minutes. */
const readyWithinMs = 180_000
const readyPollMs = 15
const progressEveryMs = 5_000

/** Starts the server on this port and resolves when it takes connections. */
export async function launch(how: Launch, port: number): Promise<ServerProcess> {
  const { layout, binaries, account, settings, serverLog, clock } = how
  const folder = await nameForServer(layout.data, account)
  const child = spawn(
    binaries.postgres,
    ['-D', folder, ...settingArguments({ ...settings, port: String(port) })],
    {
      cwd: layout.data,
      env: childEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true, // Ctrl-C in our terminal must not stop the ledger before those who still write to it
      ...identity(account),
    },
  )
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => serverLog.write(chunk))
  const exited = exitOf(child, serverLog)
  if (child.pid === undefined)
    throw failure((await exited).lastLines, 'start', 'it could not be started', how)
  const server = { pid: child.pid, exited, stop: () => stop(child, exited, clock) }
  try {
    await ready(server, how)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Connects once to a database of the embedded server. */
export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {}) // the running query is rejected with it
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

function exitOf(child: ChildProcess, serverLog: ServerLog): Promise<ServerExit> {
  return new Promise((resolve) => {
    child.once('error', (error) => serverLog.write(`${error.message}\n`))
    child.once('close', (code, signal) => resolve({ code, signal, lastLines: serverLog.lastLines() }))
  })
}

/** The server writes "ready" into its pid file; only our child's own file counts, not one left from before. */
async function ready(server: ServerProcess, how: Launch): Promise<void> {
  const pidFile = path.join(how.layout.data, 'postmaster.pid')
  let exit: ServerExit | undefined
  void server.exited.then((value) => {
    exit = value
  })
  const startedAt = how.clock.now()
  for (let nextProgressMs = progressEveryMs; ; ) {
    if (exit !== undefined) throw failure(exit.lastLines, 'start', describe(exit), how)
    const lines = ((await readIfThere(pidFile)) ?? '').split('\n')
    if (Number(lines[0]) === server.pid && lines[7]?.trim() === 'ready') return
    const waitedMs = how.clock.now() - startedAt
    if (waitedMs > readyWithinMs) {
      throw failure(how.serverLog.lastLines(), 'start', `not ready after ${readyWithinMs / 1000} s`, how)
    }
    if (waitedMs > nextProgressMs) {
      nextProgressMs += progressEveryMs
      how.log.info({ line: how.serverLog.lastLines().at(-1) ?? '' }, 'waiting for the embedded Postgres')
    }
    await how.clock.sleep(readyPollMs)
  }
}

function failure(lines: readonly string[], step: string, reason: string, { layout }: Launch): HoldfastError {
  if (lines.some((line) => /No space left on device|Disk quota exceeded/.test(line))) {
    return new HoldfastError('E_LEDGER_DISK_FULL', { where: layout.data, lines })
  }
  return new HoldfastError('E_EMBEDDED_FAILED', { step, reason, lines })
}

function describe({ code, signal }: ServerExit): string {
  return `the server ended with ${signal ?? `exit code ${code}`}`
}

/** Fast shutdown (open transactions roll back, a checkpoint is written), then harder, each bounded. */
async function stop(child: ChildProcess, exited: Promise<ServerExit>, clock: Clock): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT')
  const cancels = [
    clock.after(fastStopMs, () => child.kill('SIGQUIT')),
    clock.after(fastStopMs + immediateStopMs, () => child.kill('SIGKILL')),
  ]
  await exited
  for (const cancel of cancels) cancel()
}
