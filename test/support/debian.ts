import { tmpdir } from 'node:os'
import path from 'node:path'
import { exists, run } from './go-build.ts'

const programFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

/** Where a program is, also where a user's PATH does not lead; null: not on this machine. */
export async function findProgram(name: string): Promise<string | null> {
  for (const folder of programFolders) {
    const file = path.join(folder, name)
    if (await exists(file)) return file
  }
  return null
}

/** apt-get refuses to run twice at a time, and suites run side by side. */
const aptLock = path.join(tmpdir(), 'holdfast-apt.lock')

/** Installs Debian packages that a test needs. Throws with what to do. */
export async function installPackages(
  packages: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const what = packages.join(' ')
  if ((await findProgram('apt-get')) === null) {
    throw new Error(`This test needs ${what} (Debian's names), and apt-get is not here: install them.`)
  }
  say(`installing ${what}`)
  const apt = (...args: readonly string[]) =>
    run('flock', [aptLock, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args])
  const install = () => apt('install', '-y', '--no-install-recommends', ...packages)
  await install()
    .catch(async () => {
      await apt('update')
      await install()
    })
    .catch((error: unknown) => {
      throw new Error(`apt-get could not install ${what}: install them by hand, then try again.`, {
        cause: error,
      })
    })
}
