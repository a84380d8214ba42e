import { mkdir } from 'node:fs/promises'
import { readText, writeRecord } from './files.ts'
import type { Layout } from './layout.ts'
import type { StartRecord } from './types.ts'

/** A job may remove what lies above its working folder; its end is written all the same. */
export async function restoreFolder(files: Layout, start: StartRecord): Promise<void> {
  await mkdir(files.folder, { recursive: true, mode: 0o700 })
  if ((await readText(files.start)) === null) await writeRecord(files.start, start)
}
