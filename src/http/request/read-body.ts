import type { Context } from 'hono'
import { HoldfastError } from '../../domain/errors/index.ts'

/**
 * Reads the raw body, never more than `bytesMax` of it into memory, until the signal aborts. Throws
 * E_REQUEST_TOO_LARGE, E_REQUEST_SLOW or E_REQUEST_CUT.
 */
export async function readBody(
  context: Context,
  bytesMax: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const body = readWhole(context, bytesMax)
  return signal === undefined ? body : unlessAborted(body, context, signal)
}

/** Rejects with E_REQUEST_SLOW once the signal aborts; the connection closes with the response. */
function unlessAborted<T>(body: Promise<T>, context: Context, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      context.header('connection', 'close')
      reject(new HoldfastError('E_REQUEST_SLOW'))
    }
    signal.addEventListener('abort', giveUp, { once: true })
    body.finally(() => signal.removeEventListener('abort', giveUp)).then(resolve, reject)
  })
}

async function readWhole(context: Context, bytesMax: number): Promise<Uint8Array> {
  const announced = Number(context.req.header('content-length') ?? Number.NaN)
  if (announced > bytesMax) throw new HoldfastError('E_REQUEST_TOO_LARGE', { bytesMax })
  try {
    // The server reads no more than was announced, and much faster than chunk by chunk.
    if (announced >= 0) return new Uint8Array(await context.req.raw.arrayBuffer())
    return await readChunks(context.req.raw, bytesMax)
  } catch (error) {
    // A client can disconnect at any time: that is no failure of ours.
    throw error instanceof HoldfastError ? error : new HoldfastError('E_REQUEST_CUT', {}, error)
  }
}

async function readChunks({ body }: Request, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw new HoldfastError('E_REQUEST_TOO_LARGE', { bytesMax })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
