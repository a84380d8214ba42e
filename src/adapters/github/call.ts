import { HoldfastError } from '../../domain/errors/index.ts'
import type { Clock } from '../../ports/clock.ts'

/** No answer that we ask for is larger; a larger one is not read to its end. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024
const API_VERSION = '2022-11-28'
const USER_AGENT = 'holdfast'

export interface CallOptions {
  readonly baseUrl: string
  readonly token: () => Promise<string> | string
  readonly timeoutMs: number
  readonly clock: Clock
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON; undefined where the body is empty or is not JSON. */
  readonly body: unknown
}

export type Call = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  signal: AbortSignal,
  body?: unknown,
) => Promise<Answer>

/**
 * One request with a deadline. Throws `E_FORGE_UNAVAILABLE` where no whole answer came or the forge is not
 * well (5xx): whether the request took effect is then unknown. Every other answer is the caller's to judge.
 */
export function createCall({ baseUrl, token, timeoutMs, clock }: CallOptions): Call {
  const base = baseUrl.replace(/\/+$/, '')
  return async (method, path, signal, body) => {
    const overdue = new AbortController()
    const cancel = clock.after(timeoutMs, () => overdue.abort(new Error(`no answer within ${timeoutMs} ms`)))
    const either = AbortSignal.any([signal, overdue.signal])
    const name = `${method} ${path.split('?')[0]}`
    try {
      const response = await fetch(`${base}${path}`, {
        method,
        signal: either,
        headers: await headersOf(token, body !== undefined),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await readBounded(response)
      if (response.status >= 500) throw new Error(`it answered ${response.status}`)
      return { status: response.status, headers: response.headers, body: jsonOf(text) }
    } catch (error) {
      const cause = either.aborted ? either.reason : error
      throw unavailable(name, reasonOf(cause), cause)
    } finally {
      cancel()
    }
  }
}

/** The one error for a forge that gave no answer to build on. */
export function unavailable(call: string, why: string, cause?: unknown): HoldfastError {
  return new HoldfastError('E_FORGE_UNAVAILABLE', { call, why }, cause)
}

async function headersOf(token: CallOptions['token'], hasBody: boolean): Promise<Record<string, string>> {
  return {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${await token()}`,
    'x-github-api-version': API_VERSION,
    'user-agent': USER_AGENT,
    ...(hasBody && { 'content-type': 'application/json' }),
  }
}

async function readBounded(response: Response): Promise<string> {
  if (response.body === null) return ''
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > ANSWER_BYTES_MAX) throw new Error(`its answer is larger than ${ANSWER_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Node's fetch hides what happened in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.message === 'fetch failed' && error.cause instanceof Error) {
    return (error.cause as { code?: string }).code ?? error.cause.message
  }
  return error.message
}
