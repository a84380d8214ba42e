import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { HoldfastError } from '../../domain/errors/index.ts'
import { reasonOf, systemCodeOf } from '../../domain/reason.ts'
import type { Entropy } from '../../ports/entropy.ts'
import { syncFolder } from '../files/index.ts'
import { type KeyRing, keyBytes, keyRingOf, keyRingText } from './key-ring.ts'

/** Reads the key file, or creates one with a fresh key; two concurrent starts end up with the same ring. */
export async function loadOrCreateKeyRing(file: string, entropy: Entropy): Promise<KeyRing> {
  return (await load(file)) ?? (await create(file, entropy))
}

/** Adds a fresh key and makes it the current one; the old ones stay, because rows are still sealed with them. */
export async function rotateKey(file: string, entropy: Entropy): Promise<KeyRing> {
  const draft = draftOf(file, entropy)
  const release = await takeRotation(file)
  try {
    const ring = (await load(file)) ?? (await create(file, entropy))
    const { id, key } = freshKey(entropy)
    const next: KeyRing = { current: id, keys: new Map([...ring.keys, [id, key]]) }
    await writeSynced(draft, keyRingText(next))
    await rename(draft, file)
    await syncFolder(path.dirname(file))
    return next
  } finally {
    await rm(draft, { force: true })
    await release()
  }
}

async function load(file: string): Promise<KeyRing | undefined> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
    const { mode } = await stat(file)
    if ((mode & 0o077) !== 0) invalid(file, 'other users may read it; run: chmod 600, and rotate the key')
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined
    if (error instanceof HoldfastError) throw error
    return invalid(file, reasonOf(error), error)
  }
  try {
    return keyRingOf(JSON.parse(text), file)
  } catch (error) {
    if (error instanceof HoldfastError) throw error
    return invalid(file, 'it is not JSON') // the cause would quote what may be keys
  }
}

async function create(file: string, entropy: Entropy): Promise<KeyRing> {
  const { id, key } = freshKey(entropy)
  const draft = draftOf(file, entropy)
  await mkdir(path.dirname(file), { recursive: true })
  try {
    await writeSynced(draft, keyRingText({ current: id, keys: new Map([[id, key]]) }))
    // A link never replaces: if another process was faster, its ring is the ring.
    await link(draft, file).catch((error: unknown) => {
      if (systemCodeOf(error) !== 'EEXIST') throw error
    })
    await syncFolder(path.dirname(file))
  } finally {
    await rm(draft, { force: true })
  }
  return (await load(file)) ?? invalid(file, 'it was removed while it was being made')
}

/** Takes the lock of a rotation: two at once would lose one of the new keys, and the secrets sealed with it. */
async function takeRotation(file: string): Promise<() => Promise<void>> {
  const lock = `${file}.rotating`
  for (const lastTry of [false, true]) {
    try {
      const handle = await open(lock, 'wx', 0o600)
      await handle.writeFile(String(process.pid))
      await handle.close()
      return () => rm(lock, { force: true })
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error
      const pid = Number(await readFile(lock, 'utf8').catch(() => ''))
      if (lastTry || isRunning(pid)) {
        return invalid(file, `process ${pid} is rotating it; if that rotation ended long ago, remove ${lock}`)
      }
      await rm(lock, { force: true })
    }
  }
  return invalid(file, 'it is being rotated')
}

function isRunning(pid: number): boolean {
  if (!(pid > 0)) return true // not written yet
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return systemCodeOf(error) === 'EPERM'
  }
}

function freshKey(entropy: Entropy): { id: string; key: Uint8Array } {
  return { id: `k-${Buffer.from(entropy.bytes(6)).toString('hex')}`, key: entropy.bytes(keyBytes) }
}

function draftOf(file: string, entropy: Entropy): string {
  return `${file}.${Buffer.from(entropy.bytes(6)).toString('hex')}.tmp`
}

async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function invalid(file: string, problem: string, cause?: unknown): never {
  throw new HoldfastError('E_KEY_FILE', { file, problem }, cause)
}
