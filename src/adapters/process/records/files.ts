import { open, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'

/** Our largest record is an ending: a tail of 64 KiB, escaped, and some samples. A larger file is not ours. */
const RECORD_BYTES_MAX = 2 * 1024 * 1024

/** Writes a record so that after a crash it holds its old or its new content; only its owner may read it. */
export async function writeRecord(file: string, record: unknown): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`
  try {
    await writeSynced(draft, `${JSON.stringify(record)}\n`)
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await syncFolder(path.dirname(file))
}

/** Makes a file that must not be there yet; false if it is. */
export async function createExclusive(file: string, content: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600)
    await handle.writeFile(content).finally(() => handle.close())
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  return true
}

export async function writeSynced(file: string, content: string): Promise<void> {
  const handle = await open(file, 'w', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes what was created or renamed in a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

/** A record's text; null where there is none. Throws where it cannot be read or is too large to be ours. */
export async function readText(file: string): Promise<string | null> {
  try {
    const handle = await open(file, 'r')
    try {
      const { size } = await handle.stat()
      if (size > RECORD_BYTES_MAX)
        throw new Error(`${file} has ${size} bytes; expected at most ${RECORD_BYTES_MAX}`)
      return await readFile(handle, 'utf8')
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/** The name of a failed system call's error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** An error's message, for a sentence. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
