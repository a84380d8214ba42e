import type { Dispatcher } from 'undici'
import { HoldfastError } from '../../domain/errors/index.ts'
import { parseJson } from '../../domain/parse-json.ts'
import { fetchReasonOf } from '../../domain/reason.ts'
import type { Clock } from '../../ports/clock.ts'
import { redirectsMax } from '../forge-http/index.ts'
import { apiRedirect } from './redirect.ts'

/** The bound of an answer; a larger one is refused, except a log, of which the newest part is kept. */
const answerBytesMax = 16 * 1024 * 1024
const logBytesMax = 1024 * 1024
const userAgent = 'holdfast'

export interface CallOptions {
  /** The address of Gitea's web site; its API is below. */
  readonly url: string
  readonly token: () => Promise<string> | string
  readonly timeoutMs: number
  readonly clock: Clock
  /** For a proxy or an own certificate authority. */
  readonly dispatcher?: Dispatcher | undefined
}

export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON; undefined where the body is empty or is not JSON. */
  readonly body: unknown
  readonly text: string
}

interface Asking {
  readonly body?: unknown
  /** Keeps the newest part of a long text instead of refusing it. */
  readonly isLog?: boolean
}

export interface Call {
  /** One request to the REST API; the path is the part after `/api/v1`. */
  rest(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    signal: AbortSignal,
    asking?: Asking,
  ): Promise<ApiResponse>
  /** One request to the service for runners, which answers 500 for refusals too: the caller must check. */
  runnerService(procedure: string, message: unknown, signal: AbortSignal): Promise<ApiResponse>
}

/**
 * Requests with a deadline. They throw `E_FORGE_UNAVAILABLE` where no whole answer came or Gitea failed (5xx): whether
 * the request took effect is then unknown. Every other answer is returned.
 */
export function createCall({ url, token, timeoutMs, clock, dispatcher }: CallOptions): Call {
  const base = url.replace(/\/+$/, '').replace(/\/api\/v1$/, '')
  const send = async (name: string, path: string, init: RequestInit, signal: AbortSignal, isLog = false) => {
    const overdue = new AbortController()
    const cancel = clock.after(timeoutMs, () => overdue.abort(new Error(`no answer within ${timeoutMs} ms`)))
    const either = AbortSignal.any([signal, overdue.signal])
    try {
      either.throwIfAborted()
      const way = dispatcher === undefined ? {} : { dispatcher }
      const request = { ...init, ...way, signal: either, redirect: 'manual' } as RequestInit
      const response = await followed(`${base}${path}`, request)
      const text = await readBounded(response, isLog)
      return { status: response.status, headers: response.headers, body: parseJson(text), text }
    } catch (error) {
      const cause = either.aborted ? either.reason : error
      throw unavailable(name, fetchReasonOf(cause), cause)
    } finally {
      cancel()
    }
  }
  /** The response after redirects to a renamed repository. */
  const followed = async (url: string, request: RequestInit, hops = 0): Promise<Response> => {
    const response = await fetch(url, request)
    const next = apiRedirect(response, url, base, request.method ?? 'GET')
    if (next === null) return response
    await response.body?.cancel()
    if (hops >= redirectsMax) throw new Error('it led from one address to the next')
    return followed(next, request, hops + 1)
  }
  return {
    async rest(method, path, signal, { body, isLog } = {}) {
      const name = `${method} ${path.split('?')[0]}`
      const headers = {
        accept: 'application/json, text/plain',
        authorization: `token ${await token()}`,
        'user-agent': userAgent,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      }
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
      const answer = await send(name, `/api/v1${path}`, init, signal, isLog)
      // For a log that was never begun Gitea answers 500.
      if (answer.status >= 500 && !(isLog && answer.status === 500)) {
        throw unavailable(name, `it answered ${answer.status}`)
      }
      return answer
    },
    runnerService(procedure, message, signal) {
      const path = `/api/actions/runner.v1.RunnerService/${procedure}`
      const headers = { 'content-type': 'application/json', 'user-agent': userAgent }
      return send(procedure, path, { method: 'POST', headers, body: JSON.stringify(message) }, signal)
    },
  }
}

/** The error for a forge that gave no usable answer. */
export function unavailable(call: string, why: string, cause?: unknown): HoldfastError {
  return new HoldfastError('E_FORGE_UNAVAILABLE', { call, why }, cause)
}

async function readBounded(response: Response, isLog: boolean): Promise<string> {
  if (response.body === null) return ''
  const bytesMax = isLog ? logBytesMax : answerBytesMax
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > bytesMax && !isLog) throw new Error(`its answer is larger than ${bytesMax} bytes`)
    while (length - (chunks[0]?.length ?? 0) > bytesMax) length -= chunks.shift()?.length ?? 0
  }
  const whole = Buffer.concat(chunks)
  return whole.subarray(Math.max(0, whole.length - bytesMax)).toString('utf8')
}
