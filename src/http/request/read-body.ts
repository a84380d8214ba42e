import type { Context } from 'hono'
import { HoldfastError } from '../../domain/errors/index.ts'

/** The raw body, never more than `bytesMax` of it in memory. Throws E_REQUEST_TOO_LARGE. */
export async function readBody(context: Context, bytesMax: number): Promise<Uint8Array> {
  const announced = Number(context.req.header('content-length') ?? 0)
  if (announced > bytesMax) throw new HoldfastError('E_REQUEST_TOO_LARGE', { bytesMax })
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (context.req.raw.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw new HoldfastError('E_REQUEST_TOO_LARGE', { bytesMax })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
