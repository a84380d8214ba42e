import { link, rename, rm, writeFile } from 'node:fs/promises'
import { HoldfastError } from '../../domain/errors/index.ts'
import { systemCodeOf } from '../../domain/reason.ts'
import type { Clock } from '../../ports/clock.ts'
import { readIfThere } from './files.ts'
import { identityOf, isAlive, type ProcessIdentity } from './process-identity.ts'

export interface Lock {
  release(): Promise<void>
}

interface LockRecord extends ProcessIdentity {
  /** Tells apart two holders in one process. */
  readonly nonce: string
}

/** A start that loses every one of these rounds meets a crowd, not a stale file. */
const roundsMax = 10
/** Long enough for one who took our fresh lock for a stale one to have put it back over another's. */
const settleMs = 25

/**
 * Takes the folder for this process, or refuses and names the process that has it.
 * A record whose process is gone (other boot, other start time) is stale and taken over.
 */
export async function takeLock(file: string, folder: string, nonce: string, clock: Clock): Promise<Lock> {
  const own = await identityOf(process.pid)
  if (own === undefined) throw new HoldfastError('E_BUG', { what: 'this process is not in the process list' })
  const text = JSON.stringify({ ...own, nonce } satisfies LockRecord)
  const draft = `${file}.${nonce}`
  await writeFile(draft, text, { mode: 0o600 })
  try {
    for (let round = 0; round < roundsMax; round++) {
      if (await linked(draft, file)) {
        await clock.sleep(settleMs)
        if ((await readIfThere(file)) === text) return { release: () => release(file, text) }
      }
      await removeIfStale(file, `${draft}.stale`, folder)
    }
  } finally {
    await rm(draft, { force: true })
  }
  throw new HoldfastError('E_DATA_DIR_BUSY', { folder, pid: 'several that start right now' })
}

async function linked(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function removeIfStale(file: string, aside: string, folder: string): Promise<void> {
  const found = await readIfThere(file)
  if (found === undefined) return
  const holder = parse(found)
  if (holder !== undefined && (await isAlive(holder))) {
    throw new HoldfastError('E_DATA_DIR_BUSY', { folder, pid: holder.pid })
  }
  try {
    await rename(file, aside)
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return
    throw error
  }
  // Another start may have replaced the stale record between our read and our rename: that one is alive.
  if ((await readIfThere(aside)) === found) await rm(aside, { force: true })
  else await rename(aside, file)
}

async function release(file: string, text: string): Promise<void> {
  if ((await readIfThere(file)) === text) await rm(file, { force: true })
}

function parse(text: string): LockRecord | undefined {
  try {
    const value = JSON.parse(text) as Partial<LockRecord>
    return typeof value.pid === 'number' && typeof value.startedAt === 'string'
      ? (value as LockRecord)
      : undefined
  } catch {
    return undefined // torn by a crash while it was written: nobody holds it
  }
}
