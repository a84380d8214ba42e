import { HoldfastError, isError } from '../../domain/errors/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { Log } from '../../ports/log.ts'
import { findBinaries } from './binaries.ts'
import { folderError } from './files.ts'
import { clearDrafts, initialise } from './initialise.ts'
import { hasData, makeLayout } from './layout.ts'
import { clearLeftovers } from './leftover.ts'
import { takeLock } from './lock.ts'
import { passwordForExisting, passwordForNew, superuser } from './password.ts'
import { choosePort, rememberPort } from './port.ts'
import { ensureProgramRole } from './program-role.ts'
import { openServerLog } from './server-log.ts'
import { type Launch, launch, type ServerExit, type ServerProcess, withClient } from './server-process.ts'
import { serverUser } from './server-user.ts'
import { ledgerSettings, type Settings } from './settings.ts'
import { supervise } from './supervise.ts'

export interface EmbeddedOptions {
  /** Holdfast's data folder; the server's files go into `postgres/` in it. */
  readonly dataDir: string
  readonly log: Log
  readonly clock: Clock
  readonly entropy: Entropy
  /** The folder with bin/, lib/ and share/ of a Postgres, instead of the installed package. */
  readonly binaries?: string
  /** Settings over the ledger's own, such as fsync=off for data that may be lost. */
  readonly settings?: Settings
}

export interface Embedded {
  /** For the owner of everything, who migrates. Holds the password: never log it. */
  readonly url: string
  /** For the program, whose role owns nothing; it is given its rights after the migrations. */
  readonly programUrl: string
  readonly port: number
  /** Of the server process that runs now. */
  readonly pid: number
  /** Calls back whenever the server ended without being asked to; it is started again on the same port. */
  onExit(listener: (exit: ServerExit) => void): () => void
  stop(): Promise<void>
  /** Ends the server at once, for a program that cannot wait; the next start recovers from its WAL. */
  endNow(): void
}

const database = 'holdfast'
const portTriesMax = 5

/** Brings up the embedded Postgres on its data folder, healing what a crash left, and keeps it up. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, clock, entropy } = options
  const log = options.log.child({ part: 'embedded-postgres' })
  const layout = await makeLayout(dataDir)
  const account = await serverUser(layout.data, log)
  const binaries = await findBinaries({ root: options.binaries, account, dataDir: layout.dataDir, log })
  await hasData(layout, binaries.major) // refuses before anything is touched
  const nonce = Buffer.from(entropy.bytes(8)).toString('hex')
  const lock = await takeLock(layout.lock, layout.dataDir, nonce, clock).catch((error: unknown) => {
    throw folderError(error, layout.home)
  })
  try {
    const settings = { ...ledgerSettings, ...options.settings }
    const how = { layout, binaries, account, settings, serverLog: openServerLog(layout.log, log), clock, log }
    const password = await prepareData(how, entropy)
    const { server, port } = await launchOnFreePort(how)
    const url = `postgres://${superuser}:${password}@127.0.0.1:${port}/${database}`
    await ensureDatabase(url, server)
    const programUrl = await ensureProgramRole(url, entropy).catch(async (error: unknown) => {
      await server.stop()
      throw error
    })
    const supervisor = supervise(server, () => relaunch(how, port), clock, log)
    log.info(
      { port, pid: server.pid, version: binaries.version, folder: layout.data },
      'the embedded Postgres serves',
    )
    return {
      url,
      programUrl,
      port,
      get pid() {
        return supervisor.pid()
      },
      onExit: supervisor.onExit,
      async stop() {
        await supervisor.stop()
        await lock.release()
      },
      endNow: () => signalNow(supervisor.pid()),
    }
  } catch (error) {
    await lock.release()
    throw folderError(error, layout.home)
  }
}

/** An immediate shutdown in Postgres' own words: its processes are gone within a moment, also without us. */
function signalNow(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // ended meanwhile
  }
}

async function prepareData(how: Launch, entropy: Entropy): Promise<string> {
  const { layout, binaries, account, clock, log } = how
  await clearDrafts(layout, clock, log)
  await clearLeftovers(layout.data, clock, log)
  if (await hasData(layout, binaries.major)) return passwordForExisting(layout, binaries, account, entropy)
  const password = await passwordForNew(layout, entropy)
  const sync = how.settings.fsync !== 'off'
  await initialise({ layout, binaries, account, password, sync, clock, log })
  return password
}

/** A port found free may be taken before the server binds it: then another one is tried. */
async function launchOnFreePort(how: Launch): Promise<{ server: ServerProcess; port: number }> {
  for (let tries = 1; ; tries++) {
    const port = await choosePort(how.layout.port)
    try {
      const server = await launch(how, port)
      await rememberPort(how.layout.port, port)
      return { server, port }
    } catch (error) {
      if (tries >= portTriesMax || !isPortTaken(error)) throw error
      how.log.warn({ port }, 'the port was taken meanwhile, trying another')
    }
  }
}

function isPortTaken(error: unknown): boolean {
  return isError(error, 'E_EMBEDDED_FAILED') && /Address already in use/.test(error.message)
}

/** The port stays: everybody who holds the address reconnects to it. */
async function relaunch(how: Launch, port: number): Promise<ServerProcess> {
  await clearLeftovers(how.layout.data, how.clock, how.log)
  return launch(how, port)
}

async function ensureDatabase(url: string, server: ServerProcess): Promise<void> {
  const maintenance = new URL(url)
  maintenance.pathname = '/postgres'
  try {
    await withClient(maintenance.href, async (client) => {
      const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
      if (rowCount === 0) await client.query(`create database ${database}`)
    })
  } catch (error) {
    await server.stop()
    throw signInError(error)
  }
}

function signInError(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error
  const full = error.code === '53100'
  if (full) return new HoldfastError('E_LEDGER_DISK_FULL', { where: 'the data folder', lines: [] }, error)
  if (error.code !== '28P01') return error
  const reason =
    'the password in postgres/password is not the one that the server knows; remove the file to set a new one'
  return new HoldfastError('E_EMBEDDED_FAILED', { step: 'sign in', reason, lines: [] }, error)
}
