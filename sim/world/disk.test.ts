import { diskContract } from '../../test/contract/disk/index.ts'
import { createMemoryDisk } from './disk.ts'

const bytesPerMiB = 1024 * 1024

diskContract('in memory', async () => {
  const memory = createMemoryDisk(128 * bytesPerMiB)
  return {
    disk: memory.disk,
    fill: async (freeBytes) => memory.fill(freeBytes),
    empty: async () => memory.fill(128 * bytesPerMiB),
    close: async () => {},
  }
})
