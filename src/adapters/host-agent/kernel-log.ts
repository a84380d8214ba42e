import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { reasonOf } from '../../domain/reason.ts'
import type { KernelLog } from '../../ports/host-agent.ts'

/** The kernel's own bound of a record. */
const recordBytesMax = 8 * 1024

/** The kernel's log from a device such as /dev/kmsg, or from a file that grows by one record a line. */
export function openKernelLog(path: string): KernelLog {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    return { next: () => [], lost: 0, missing: `lines of the kernel: ${reasonOf(error)}`, close() {} }
  }
  const read = fstatSync(descriptor).isCharacterDevice() ? deviceReader(descriptor) : fileReader(descriptor)
  let missing: string | null = null
  return {
    next(limit) {
      try {
        return read.next(limit)
      } catch (error) {
        missing = `lines of the kernel: ${reasonOf(error)}`
        return []
      }
    },
    get lost() {
      return read.lost()
    },
    get missing() {
      return missing
    },
    close: () => closeSync(descriptor),
  }
}

interface Reader {
  next(limit: number): string[]
  lost(): number
}

/** The device returns one record for each read, beginning with the oldest that it still has. */
function deviceReader(descriptor: number): Reader {
  const buffer = Buffer.alloc(recordBytesMax)
  let lost = 0
  return {
    lost: () => lost,
    next(limit) {
      const records: string[] = []
      for (let count = 0; count < limit; count += 1) {
        try {
          const bytes = readSync(descriptor, buffer, 0, buffer.length, null)
          if (bytes === 0) break
          records.push(buffer.toString('utf8', 0, bytes))
        } catch (error) {
          if (codeOf(error) === 'EAGAIN') break
          // EPIPE: the record was overwritten before we read it, and the next read goes on with the oldest that is left.
          if (codeOf(error) !== 'EPIPE') throw error
          lost += 1
        }
      }
      return records
    },
  }
}

function fileReader(descriptor: number): Reader {
  const buffer = Buffer.alloc(recordBytesMax)
  let position = 0
  let rest = ''
  return {
    lost: () => 0,
    next(limit) {
      const records: string[] = []
      while (records.length < limit) {
        const bytes = readSync(descriptor, buffer, 0, buffer.length, position)
        if (bytes === 0) break
        position += bytes
        const lines = (rest + buffer.toString('utf8', 0, bytes)).split('\n')
        rest = (lines.pop() ?? '').slice(-recordBytesMax)
        records.push(...lines)
      }
      return records
    },
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
