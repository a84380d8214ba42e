import { statfs } from 'node:fs/promises'
import path from 'node:path'
import type { Check } from '../../../domain/examination.ts'

const mebibyte = 1024 * 1024
/** A new ledger takes about 50 MiB, and Postgres stops at a full disk. */
const failBelowMiB = 256
const warnBelowMiB = 2_048
const warnBelowFiles = 10_000

/** Room where the ledger and the runners' folders are. */
export async function checkDisk(dataDir: string): Promise<Check> {
  const name = 'disk'
  const folder = await existing(dataDir)
  if (folder === null) return { name, result: 'unknown', found: `${dataDir} cannot be looked at`, todo: null }
  const { bavail, bsize, ffree, files } = await statfs(folder)
  const freeMiB = Math.floor((bavail * bsize) / mebibyte)
  const lacksFiles = files > 0 && ffree < warnBelowFiles // some file systems do not count them
  const found = `${freeMiB} MiB free in ${folder}${lacksFiles ? `, room for ${ffree} more files` : ''}`
  if (freeMiB >= warnBelowMiB && !lacksFiles) return { name, result: 'ok', found, todo: null }
  const todo = 'Make room, or keep the data elsewhere: --data-dir.'
  return { name, result: freeMiB < failBelowMiB ? 'fail' : 'warn', found, todo }
}

/** The folder, or what of its way is there already. */
async function existing(folder: string): Promise<string | null> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const found = await statfs(at).then(
      () => true,
      () => false,
    )
    if (found) return at
    if (at === path.dirname(at)) return null
  }
}
