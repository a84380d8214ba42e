import { chown, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { syncFolder } from '../files/index.ts'
import type { Binaries } from './binaries.ts'
import { folderError } from './files.ts'
import type { Layout } from './layout.ts'
import { clearLeftovers } from './leftover.ts'
import { superuser } from './password.ts'
import { nameForServer } from './reach.ts'
import { type Account, run } from './run.ts'

interface Initialisation {
  readonly layout: Layout
  readonly binaries: Binaries
  readonly account: Account | undefined
  readonly password: string
  readonly sync: boolean
  readonly clock: Clock
  readonly log: Log
}

const draftPrefix = 'init-'
const initdbTimeoutMs = 120_000

/** Creates a data folder next to its final path and renames it when it is complete: an interruption leaves nothing half done. */
export async function initialise(made: Initialisation): Promise<void> {
  const { layout, account, password } = made
  const draft = path.join(layout.home, `${draftPrefix}${process.pid}`)
  const folder = path.join(draft, 'data')
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(path.join(draft, 'password'), password, { mode: 0o600 })
    for (const place of [draft, folder, path.join(draft, 'password')]) {
      if (account !== undefined) await chown(place, account.uid, account.gid)
    }
    await initdb(made, folder)
    await rename(folder, layout.data)
    await syncFolder(layout.home)
  } catch (error) {
    throw folderError(error, layout.data)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Removes what an interrupted initialisation left, after its processes. */
export async function clearDrafts(layout: Layout, clock: Clock, log: Log): Promise<void> {
  for (const name of await readdir(layout.home)) {
    if (!name.startsWith(draftPrefix)) continue
    log.warn({ folder: name }, 'removing the rest of an interrupted initialisation')
    await clearLeftovers(path.join(layout.home, name, 'data'), clock, log)
    await rm(path.join(layout.home, name), { recursive: true, force: true })
  }
}

async function initdb({ binaries, account, sync, layout }: Initialisation, folder: string): Promise<void> {
  const name = await nameForServer(folder, account)
  const { code, signal, output } = await run(
    binaries.initdb,
    [
      ...['-D', name, '--username', superuser, `--pwfile=${name}/../password`],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8'],
      // Sorts the same on every machine and after every upgrade of its C library.
      ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
      ...(sync ? [] : ['--no-sync']),
    ],
    { account, cwd: folder, timeoutMs: initdbTimeoutMs },
  )
  if (code === 0) return
  const lines = output.trim().split('\n').slice(-10)
  if (/No space left on device|Disk quota exceeded/.test(output)) {
    throw new HoldfastError('E_LEDGER_DISK_FULL', { where: layout.data, lines })
  }
  const reason = `initdb ended with ${signal ?? `exit code ${code}`}`
  throw new HoldfastError('E_EMBEDDED_FAILED', { step: 'initialise', reason, lines })
}
