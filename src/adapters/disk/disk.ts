import { open, rm, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { reserveBytes } from '../../domain/disk/index.ts'
import type { Disk } from '../../ports/disk.ts'

const reserveName = 'disk-reserve'
const chunk = Buffer.alloc(1024 * 1024)

/** The disk of a folder; its reserve is a file there. */
export function createDisk(folder: string): Disk {
  const file = path.join(folder, reserveName)
  return {
    folder,
    async space() {
      const { bavail, blocks, bsize } = await statfs(folder)
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, hasReserve: await isWhole(file) }
    },
    async keepReserve() {
      if (await isWhole(file)) return true
      try {
        await write(file)
        return true
      } catch (error) {
        // A partial reserve would only waste space.
        await rm(file, { force: true })
        if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
        throw error
      }
    },
    releaseReserve: () => rm(file, { force: true }),
  }
}

async function isWhole(file: string): Promise<boolean> {
  return (await stat(file).catch(() => null))?.size === reserveBytes
}

/** Writes real bytes: a sparse file reserves no space. */
async function write(file: string): Promise<void> {
  const handle = await open(file, 'w', 0o600)
  try {
    for (let written = 0; written < reserveBytes; written += chunk.length) await handle.writeFile(chunk)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
