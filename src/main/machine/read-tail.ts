import { open } from 'node:fs/promises'
import type { FileTail } from '../../cli/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'

const chunkBytes = 64 * 1024

/** The newest bytes of a file, or of what is piped in (`-`); however much there is, no more of it is held. */
export async function readTail(file: string, bytesMax: number): Promise<FileTail> {
  try {
    if (file === '-') return { ...(await ofStream(process.stdin, bytesMax)), writtenAt: null }
    const handle = await open(file)
    try {
      const found = await handle.stat()
      if (found.isDirectory()) throw new Error('it is a folder')
      if (!found.isFile()) {
        const stream = handle.createReadStream({ autoClose: false, highWaterMark: chunkBytes })
        return { ...(await ofStream(stream, bytesMax)), writtenAt: null }
      }
      const from = Math.max(0, found.size - bytesMax)
      const bytes = Buffer.alloc(found.size - from)
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, from)
      return { bytes: bytes.subarray(0, bytesRead), isCut: from > 0, writtenAt: found.mtimeMs }
    } finally {
      await handle.close()
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new HoldfastError('E_LOG_UNREADABLE', { file, reason: code ?? message }, error)
  }
}

async function ofStream(
  stream: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Omit<FileTail, 'writtenAt'>> {
  const chunks: Uint8Array[] = []
  let kept = 0
  let isCut = false
  for await (const chunk of stream) {
    chunks.push(chunk)
    kept += chunk.length
    for (let first = chunks[0]; first !== undefined && kept - first.length >= bytesMax; first = chunks[0]) {
      chunks.shift()
      kept -= first.length
      isCut = true
    }
  }
  const all = Buffer.concat(chunks)
  return { bytes: all.subarray(-bytesMax), isCut: isCut || all.length > bytesMax }
}
