import type { Dispatcher } from 'undici'
import type { Clock } from '../../../ports/clock.ts'
import { unavailable } from './call.ts'

export interface Wire {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly dispatcher?: Dispatcher | undefined
}

/** One request and what `read` makes of its answer, all within the deadline; else it throws `E_FORGE_UNAVAILABLE`. */
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
    throw unavailable(name, reasonOf(cause), cause)
  } finally {
    cancel()
  }
}

/** The whole body as text, up to a bound. */
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

/** The end of the body as text: whole lines, at most so many bytes of them. */
export async function readNewest(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunksOf(response)) {
    chunks.push(chunk)
    length += chunk.length
    // What goes leaves more than the bound behind, so that the rest is known to be a part.
    while (chunks[0] !== undefined && length - chunks[0].length > bytesMax) {
      length -= (chunks.shift() as Uint8Array).length
    }
  }
  const text = Buffer.concat(chunks)
  if (text.length <= bytesMax) return text.toString('utf8')
  const end = text.subarray(text.length - bytesMax)
  // What stands before the first end of a line is half a line, and may begin in the middle of a letter.
  return end.subarray(end.indexOf('\n') + 1).toString('utf8')
}

function chunksOf(response: Response): AsyncIterable<Uint8Array> {
  return (response.body ?? new Response('').body) as AsyncIterable<Uint8Array>
}

/** Node's fetch hides what happened in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.message === 'fetch failed' && error.cause instanceof Error) {
    return (error.cause as { code?: string }).code ?? error.cause.message
  }
  return error.message
}
