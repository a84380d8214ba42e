import type { FileHandle } from 'node:fs/promises'

const chunkBytes = 64 * 1024
const newlineByte = 0x0a

/** The offset at which the last whole line ends: a line that a crash truncated follows. */
export async function tornAt(file: FileHandle, size: number): Promise<number> {
  const chunk = Buffer.alloc(Math.min(chunkBytes, size))
  for (let end = size; end > 0; ) {
    const begin = Math.max(0, end - chunk.length)
    const { bytesRead } = await file.read(chunk, 0, end - begin, begin)
    const newline = chunk.subarray(0, bytesRead).lastIndexOf(newlineByte)
    if (newline !== -1) return begin + newline + 1
    end = begin
  }
  return 0
}
