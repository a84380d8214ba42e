import { open, readFile, rename } from 'node:fs/promises'
import path from 'node:path'
import { HoldfastError } from '../../domain/errors/index.ts'
import { reasonOf, systemCodeOf } from '../../domain/reason.ts'
import { syncFolder } from '../files/index.ts'

/** Writes a file so that after a crash it holds either its old or its new content; only its owner may read it. */
export async function writeDurably(file: string, content: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, file)
  await syncFolder(path.dirname(file))
}

/** The file's text, or undefined where there is no such file. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Turns what the file system said about our folder into an error that says what to do. */
export function folderError(error: unknown, folder: string): unknown {
  const code = systemCodeOf(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new HoldfastError('E_LEDGER_DISK_FULL', { where: folder, lines: [] }, error)
  }
  const refusals = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST']
  if (code === undefined || !refusals.includes(code)) return error
  return new HoldfastError('E_DATA_DIR_RIGHTS', { folder, user: ourUser(), reason: reasonOf(error) }, error)
}

/** How our own user is called in messages. */
function ourUser(): string {
  const uid = process.geteuid?.()
  const name = process.env.USER ?? process.env.LOGNAME
  if (uid === 0) return 'User root'
  return name === undefined ? `The user with uid ${uid}` : `User ${name} (uid ${uid})`
}
