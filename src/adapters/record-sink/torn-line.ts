import type { FileHandle } from 'node:fs/promises'

const CHUNK_BYTES = 64 * 1024
const NEWLINE = 0x0a

/** Where the last whole line ends: behind it stands what a crash left of a line. */
export async function tornAt(file: FileHandle, size: number): Promise<number> {
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size))
  for (let end = size; end > 0; ) {
    const begin = Math.max(0, end - chunk.length)
    const { bytesRead } = await file.read(chunk, 0, end - begin, begin)
    const newline = chunk.subarray(0, bytesRead).lastIndexOf(NEWLINE)
    if (newline !== -1) return begin + newline + 1
    end = begin
  }
  return 0
}
