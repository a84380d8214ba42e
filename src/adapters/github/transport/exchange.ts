import type { Dispatcher } from 'undici'
import { fetchReasonOf } from '../../../domain/reason.ts'
import type { Clock } from '../../../ports/clock.ts'
import { unavailable } from './call.ts'

export interface Wire {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly dispatcher?: Dispatcher | undefined
}

/** Sends one request and reads its response with `read`, within the deadline; else throws `E_FORGE_UNAVAILABLE`. */
export async function exchange<T>(
  name: string,
  url: string,
  init: RequestInit,
  wire: Wire,
  signal: AbortSignal,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const { clock, timeoutMs, dispatcher } = wire
  const overdue = new AbortController()
  const cancel = clock.after(timeoutMs, () => overdue.abort(new Error(`no answer within ${timeoutMs} ms`)))
  const either = AbortSignal.any([signal, overdue.signal])
  try {
    const way = dispatcher === undefined ? {} : { dispatcher }
    const response = await fetch(url, { ...init, ...way, signal: either } as RequestInit)
    return await read(response)
  } catch (error) {
    const cause = either.aborted ? either.reason : error
    throw unavailable(name, fetchReasonOf(cause), cause)
  } finally {
    cancel()
  }
}

/** Reads the whole body as text, up to a bound. */
export async function readBounded(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunksOf(response)) {
    length += chunk.length
    if (length > bytesMax) throw new Error(`its answer is larger than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Reads the end of the body as text: whole lines, at most `bytesMax` bytes. */
export async function readNewest(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunksOf(response)) {
    chunks.push(chunk)
    length += chunk.length
    // Dropping a chunk leaves more than the bound, which marks the rest as truncated.
    while (chunks[0] !== undefined && length - chunks[0].length > bytesMax) {
      length -= (chunks.shift() as Uint8Array).length
    }
  }
  const text = Buffer.concat(chunks)
  if (text.length <= bytesMax) return text.toString('utf8')
  const end = text.subarray(text.length - bytesMax)
  // The part before the first line feed is an incomplete line, and may begin inside of a character.
  return end.subarray(end.indexOf('\n') + 1).toString('utf8')
}

function chunksOf(response: Response): AsyncIterable<Uint8Array> {
  return (response.body ?? new Response('').body) as AsyncIterable<Uint8Array>
}
