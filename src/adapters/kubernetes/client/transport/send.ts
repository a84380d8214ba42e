import type { Dispatcher } from 'undici'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { Connection } from '../connection/credentials.ts'
import { type Agents, guarded } from './agents.ts'
import { brokenOff, failureOf } from './failure.ts'
import { type ApiRequest, nameOf, targetOf } from './request.ts'
import { stripManagedFields } from './strip-managed-fields.ts'

const defaultTimeoutMs = 30_000
/** Some pages of large pods; a larger answer is not read to its end. */
const answerBytesMax = 64 * 1024 * 1024
const userAgent = 'holdfast'
const accepts = {
  metadata: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json',
  keys: 'application/jwk-set+json, application/json',
} as const

type Response = Dispatcher.ResponseData

interface ApiResponse {
  readonly body: unknown
  readonly byteCount: number
}

/** One try of one request; every failure is an error of the cluster's. */
export interface Transport {
  send(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse>
  /** The body as it comes, once the server has agreed to send it; the signal ends it. */
  stream(request: ApiRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
}

export interface TransportOptions {
  readonly connection: Connection
  readonly agents: Agents
  readonly clock: Pick<Clock, 'after'>
}

/** Sends requests as who we are now; a refused authentication is replaced once. */
export function createTransport({ connection, agents, clock }: TransportOptions): Transport {
  const { server, credentials } = connection
  const { origin, pathname } = new URL(server)
  const prefix = pathname.replace(/\/+$/, '')

  async function open(request: ApiRequest, signal: AbortSignal): Promise<Response> {
    const first = await once(request, signal)
    if (first.statusCode !== 401) return first
    await first.body.dump()
    credentials.invalidate()
    return once(request, signal)
  }

  /**
   * Not by `fetch`: that writes a body some turns after `beforeSend` was asked, and a process that was stopped in
   * between would send it when it wakes up. This writes head and body in the same turn. Redirects are not followed.
   */
  async function once(request: ApiRequest, signal: AbortSignal): Promise<Response> {
    const { authorization, tls } = await credentials.authenticate(signal)
    const plain = agents.with(tls)
    const dispatcher = request.beforeSend === undefined ? plain : guarded(plain, request.beforeSend)
    return dispatcher.request({
      origin,
      path: `${prefix}${targetOf(request)}`,
      method: request.method,
      headers: headersOf(request, authorization),
      signal,
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    })
  }

  return {
    async send(request, signal) {
      const limit = deadline(clock, request, signal)
      try {
        const response = await open(request, limit.signal)
        const text = await readBounded(response)
        const body = jsonOf(text, request.isWithManagers)
        if (!isGood(response)) throw failureOf(request, response.statusCode, body, response.headers)
        if (body === undefined)
          throw notAnApi(request, `expected JSON, got ${text.length} characters that are none`)
        return { body, byteCount: text.length }
      } catch (error) {
        throw outcome(request, error, limit.signal, signal)
      } finally {
        limit.cancel()
      }
    },
    async stream(request, signal) {
      const limit = deadline(clock, request, signal)
      try {
        const response = await open(request, limit.signal)
        if (!isGood(response)) {
          throw failureOf(request, response.statusCode, jsonOf(await readBounded(response)), response.headers)
        }
        return bytesOf(request, response, limit.signal, signal)
      } catch (error) {
        throw outcome(request, error, limit.signal, signal)
      } finally {
        limit.cancel()
      }
    },
  }
}

function headersOf({ body, contentType, answer }: ApiRequest, authorization: string | undefined) {
  return {
    accept: answer === undefined ? 'application/json' : accepts[answer],
    // Unpacking a list costs more here than the bytes cost on a cluster's own network.
    'accept-encoding': 'identity',
    'user-agent': userAgent,
    ...(authorization && { authorization }),
    ...(body !== undefined && { 'content-type': contentType ?? 'application/json' }),
  }
}

function deadline(
  clock: Pick<Clock, 'after'>,
  { timeoutMs = defaultTimeoutMs }: ApiRequest,
  signal: AbortSignal,
) {
  const overdue = new AbortController()
  const cancel = clock.after(timeoutMs, () => overdue.abort(new Error(`no answer within ${timeoutMs} ms`)))
  return { signal: AbortSignal.any([signal, overdue.signal]), cancel }
}

/** The caller that aborts gets its own reason back; every other failure is that of the cluster. */
function outcome(request: ApiRequest, error: unknown, either: AbortSignal, callers: AbortSignal): unknown {
  if (callers.aborted) return callers.reason
  return brokenOff(request, either.aborted ? either.reason : error)
}

function isGood({ statusCode }: Response): boolean {
  return statusCode >= 200 && statusCode < 300
}

async function* bytesOf(request: ApiRequest, response: Response, either: AbortSignal, callers: AbortSignal) {
  try {
    for await (const chunk of response.body) yield chunk as Uint8Array
  } catch (error) {
    throw outcome(request, error, either, callers)
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > answerBytesMax) throw new Error(`its answer is larger than ${answerBytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function jsonOf(text: string, isWithManagers = false): unknown {
  try {
    return JSON.parse(isWithManagers ? text : stripManagedFields(text))
  } catch {
    return undefined
  }
}

/** The one error for an answer that no API server gives. */
export function notAnApi(request: ApiRequest, problem: string): HoldfastError {
  return new HoldfastError('E_CLUSTER_ANSWER', { call: nameOf(request), problem })
}
