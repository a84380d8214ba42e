import { diskContract } from '../../../test/contract/disk/index.ts'
import { mountSmallDisk, whyNoMounts } from '../../../test/support/small-disk.ts'
import { createDisk } from './index.ts'

const bytesPerMiB = 1024 * 1024

diskContract(
  'a file system of its own',
  async () => {
    const small = await mountSmallDisk(128)
    return {
      disk: createDisk(small.path),
      fill: (freeBytes) => small.fill(freeBytes / bytesPerMiB),
      empty: () => small.empty(),
      close: () => small[Symbol.asyncDispose](),
    }
  },
  whyNoMounts(),
)
