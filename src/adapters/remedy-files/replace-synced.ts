import { rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { syncFolder } from '../files/index.ts'

const fileMode = 0o600

/** Replaces a file as a whole; resolves once that survives a power cut. */
export async function replaceSynced(file: string, text: string): Promise<void> {
  const draft = `${file}.tmp`
  await writeFile(draft, text, { mode: fileMode, flush: true })
  await rename(draft, file)
  await syncFolder(path.dirname(file))
}
