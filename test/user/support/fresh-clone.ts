import { spawnSync } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { whyNoMounts } from '../../support/small-disk.ts'
import { temporaryFolder } from '../../support/temporary.ts'

/** A clone of what is committed here, with its packages installed by `npm ci`. */
export interface FreshClone extends AsyncDisposable {
  readonly path: string
  /** The output of `npm ci`, both streams. */
  readonly installed: string
  /** Whether it is mounted so that not even root can write to it. */
  readonly isReadOnly: boolean
}

const tree = fileURLToPath(new URL('../../../', import.meta.url))
const outputMaxBytes = 16 * 2 ** 20

/** Does what the README says first. Readable by every user, as a checkout in `/opt` would be, and read-only where mounts are allowed. */
export async function freshClone(): Promise<FreshClone> {
  const folder = await temporaryFolder('holdfast-user-')
  await chmod(folder.path, 0o755)
  const checkout = path.join(folder.path, 'holdfast')
  run(folder.path, 'git', 'clone', '--quiet', '--depth', '1', pathToFileURL(tree).href, checkout)
  const installed = run(checkout, 'npm', 'ci')
  const canMount = whyNoMounts() === null
  if (canMount) {
    run('/', 'mount', '--bind', checkout, checkout)
    run('/', 'mount', '-o', 'remount,bind,ro', checkout)
  }
  return {
    path: checkout,
    installed,
    isReadOnly: canMount,
    async [Symbol.asyncDispose]() {
      if (canMount) run('/', 'umount', '--lazy', checkout)
      await folder[Symbol.asyncDispose]()
    },
  }
}

function run(cwd: string, file: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: outputMaxBytes,
  })
  if (status !== 0)
    throw new Error(`${file} ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`, { cause: error })
  return stdout + stderr
}
