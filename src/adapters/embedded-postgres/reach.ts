import { access } from 'node:fs/promises'
import { HoldfastError } from '../../domain/errors/index.ts'
import { type Account, run } from './run.ts'

/** On Linux this names the folder that a process was started in, without walking the path to it. */
const ownWorkingFolder = '/proc/self/cwd'

/**
 * The name under which the server's user reaches the folder, given that it is started inside it.
 * Root's data often lies below a folder that only root may enter (/root, a mktemp folder). Loosening
 * other people's folders is not ours to do, so there the server gets its working directory as the name.
 */
export async function nameForServer(folder: string, account: Account | undefined): Promise<string> {
  if (account === undefined) return folder
  const entered = await run('sh', ['-c', 'cd "$1"', 'sh', folder], { account })
  if (entered.code === 0) return folder
  try {
    await access(ownWorkingFolder)
    return ownWorkingFolder
  } catch (error) {
    throw new HoldfastError('E_DATA_DIR_UNREACHABLE', { folder, user: account.name }, error)
  }
}
