import { open, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { systemCodeOf } from '../../../domain/reason.ts'
import { syncFolder } from '../../files/index.ts'

/** Our largest record is an ending: a tail of 64 KiB, escaped, and some samples. A larger file is not ours. */
const recordBytesMax = 2 * 1024 * 1024

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

/** Creates a file that must not exist yet; false if it does. */
export async function createExclusive(file: string, content: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600)
    await handle.writeFile(content).finally(() => handle.close())
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false
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

/** A record's text; null where there is none. Throws where it cannot be read or is too large to be ours. */
export async function readText(file: string): Promise<string | null> {
  try {
    const handle = await open(file, 'r')
    try {
      const { size } = await handle.stat()
      if (size > recordBytesMax)
        throw new Error(`${file} has ${size} bytes; expected at most ${recordBytesMax}`)
      return await readFile(handle, 'utf8')
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null
    throw error
  }
}
