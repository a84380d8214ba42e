import { execFileSync } from 'node:child_process'
import { open, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { temporaryFolder } from './temporary.ts'

const bytesPerMiB = 1024 * 1024
const fillerName = 'filler'

/** A real, small file system in memory, which tests fill and empty. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string
  /** Writes a file until no more than this is free. */
  fill(freeMib: number): Promise<void>
  /** Removes that file. */
  empty(): Promise<void>
}

/** Why nothing can be mounted here; null where it can. */
export function whyNoMounts(): string | null {
  if (process.platform !== 'linux') return 'only Linux has tmpfs'
  if (process.geteuid?.() !== 0) return 'only root may mount'
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' })
    return null
  } catch {
    return 'this machine lets nobody mount'
  }
}

export async function mountSmallDisk(sizeMib: number): Promise<SmallDisk> {
  const folder = await temporaryFolder('holdfast-disk-')
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m,mode=0755`, 'tmpfs', folder.path])
  const filler = path.join(folder.path, fillerName)
  return {
    path: folder.path,
    async fill(freeMib) {
      const handle = await open(filler, 'a')
      try {
        for (;;) {
          const { bavail, bsize } = await statfs(folder.path)
          const left = bavail * bsize - freeMib * bytesPerMiB
          if (left <= 0) return
          await handle.writeFile(Buffer.alloc(Math.min(left, 4 * bytesPerMiB)))
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error // others write meanwhile
      } finally {
        await handle.close()
      }
    },
    empty: () => rm(filler, { force: true }),
    async [Symbol.asyncDispose]() {
      execFileSync('umount', ['--lazy', folder.path])
      await folder[Symbol.asyncDispose]()
    },
  }
}
