import { access, chmod, constants, lstat, mkdir } from 'node:fs/promises'
import { reasonOf } from '../../../domain/reason.ts'
import { asUser, throughOf } from './as-user.ts'
import type { Isolation, SharedUser, UidRange } from './types.ts'

const setprivPaths = ['/usr/bin/setpriv', '/bin/setpriv', '/usr/sbin/setpriv']
const root = 0

/** Creates the folder of the runners' users and proves with a real process that it works; returns the reason if not. */
export async function prepareIsolation(
  folder: string,
  users: UidRange | SharedUser,
): Promise<Isolation | string> {
  if (process.platform !== 'linux') return 'it needs Linux'
  if (process.getuid?.() !== root) return 'only root can run a program as another user'
  const setpriv = await firstUsable(setprivPaths)
  if (setpriv === null) return 'there is no setpriv (package util-linux)'
  const problem = await makeFolder(folder)
  if (problem !== null) return problem
  const shared = 'name' in users ? users : null
  const range = 'name' in users ? { first: users.uid, last: users.uid } : users
  const isolation = { folder, range, shared, setpriv }
  const refused = await asUser(throughOf(isolation, range.first), 'cd "$1" && test ! -w .', folder)
  if (refused !== null)
    return `a program as user ${range.first} in ${folder}: ${refused || 'it can write there'}`
  return isolation
}

async function firstUsable(files: readonly string[]): Promise<string | null> {
  for (const file of files) {
    const usable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (usable) return file
  }
  return null
}

/** Everybody may pass through it to a folder of their own, nobody may list it, and only root may write there. */
async function makeFolder(folder: string): Promise<string | null> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o711 })
    const found = await lstat(folder)
    if (!found.isDirectory() || found.uid !== root) return `${folder} is not a folder of root`
    await chmod(folder, 0o711)
    return null
  } catch (error) {
    return reasonOf(error)
  }
}
