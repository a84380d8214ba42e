import { link, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { syncFolder } from '../../../adapters/files/index.ts'
import type { WriteOrder, WrittenSnapshot } from '../../../cli/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import { reasonOf, systemCodeOf } from '../../../domain/reason.ts'
import type { Snapshot } from '../../../domain/snapshot/index.ts'
import { checkFileSize, decodeSnapshot, encodeSnapshot } from '../../../snapshot/index.ts'

/** The facts of a fleet are for its owner, who decides whom to mail them. */
const fileMode = 0o600

/** Reads a snapshot; a file that is larger than any snapshot is not read. */
export async function readSnapshotFile(file: string): Promise<Snapshot> {
  return decodeSnapshot(await bytesOf(file), file)
}

/** Writes a snapshot next to its place and moves it there whole. */
export async function writeSnapshotFile(
  file: string,
  { collect, isReplacing }: WriteOrder,
): Promise<WrittenSnapshot> {
  if (!isReplacing && (await isThere(file))) throw exists(file)
  await checkFolder(file)
  const snapshot = await collect()
  const bytes = encodeSnapshot(snapshot, file)
  const draft = `${file}.${snapshot.id}.tmp`
  try {
    await writeSynced(draft, bytes)
    // A link never replaces, also not a file that came meanwhile.
    await (isReplacing ? rename(draft, file) : link(draft, file))
    await syncFolder(path.dirname(file))
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST' && !isReplacing) throw exists(file)
    throw unwritable(file, error)
  } finally {
    await rm(draft, { force: true })
  }
  return { snapshot, bytes: bytes.length }
}

async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    const found = await stat(file) // before it is opened: to open a pipe waits for its writer
    if (!found.isFile()) throw new Error(found.isDirectory() ? 'it is a folder' : 'it is no ordinary file')
    checkFileSize(found.size, file)
    const handle = await open(file)
    try {
      const bytes = Buffer.alloc(found.size)
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
      return bytes.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (error instanceof HoldfastError) throw error
    const reason = systemCodeOf(error) === 'ENOENT' ? 'there is no such file' : reasonOf(error)
    throw new HoldfastError('E_SNAPSHOT_UNREADABLE', { file, reason }, error)
  }
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}

/** A folder that is not there is said before minutes are spent on reading. */
async function checkFolder(file: string): Promise<void> {
  const folder = path.dirname(file)
  const found = await stat(folder).catch((error: unknown) => {
    throw unwritable(file, error)
  })
  if (!found.isDirectory()) throw unwritable(file, new Error(`${folder} is no folder`))
}

async function writeSynced(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', fileMode)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function exists(file: string): HoldfastError {
  return new HoldfastError('E_SNAPSHOT_EXISTS', { file })
}

function unwritable(file: string, error: unknown): HoldfastError {
  return new HoldfastError('E_SNAPSHOT_UNWRITABLE', { file, reason: reasonOf(error) }, error)
}
