import { HoldfastError } from '../../../../domain/errors/index.ts'
import { isRecord } from '../../../../domain/is-record.ts'
import { reasonOf } from '../../../../domain/reason.ts'
import { type ApiRequest, nameOf } from './request.ts'

const reasonCharsMax = 1_000
const retryAfterDefaultMs = 1_000

/** Where the connection never stood, nothing can have taken effect. */
const unsentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

interface Status {
  readonly kind?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly details?: { readonly retryAfterSeconds?: unknown }
}

/** The error that an answer's status means; the body is the API's `Status`, or anything else. */
export function failureOf(
  request: ApiRequest,
  code: number,
  body: unknown,
  headers: Readonly<Record<string, unknown>> = {},
): HoldfastError {
  const call = nameOf(request)
  const status: Status = isRecord(body) ? body : {}
  const reason = `${status.message ?? `it answered ${code}`}`.slice(0, reasonCharsMax)
  const word = typeof status.reason === 'string' ? status.reason : ''
  const retryAfterMs = retryAfterOf(status, headers)
  // A server that is too busy may say so with another code; it always says when to come back.
  if (code === 429) {
    return new HoldfastError('E_CLUSTER_THROTTLED', {
      call,
      reason,
      retryAfterMs: retryAfterMs ?? retryAfterDefaultMs,
    })
  }
  if (code === 404) return new HoldfastError('E_CLUSTER_NOT_FOUND', { call, reason, word })
  if (code === 409) return new HoldfastError('E_CLUSTER_CONFLICT', { call, reason, word })
  if (code === 410) return new HoldfastError('E_CLUSTER_EXPIRED', { call, reason })
  if (code >= 500) {
    const outcomeUnknown = request.method !== 'GET'
    return new HoldfastError('E_CLUSTER_UNREACHABLE', {
      call,
      code,
      reason,
      outcomeUnknown,
      ...(retryAfterMs !== null && { retryAfterMs }),
    })
  }
  return new HoldfastError('E_CLUSTER_REFUSED', { call, code, reason, word })
}

/** The error of a request that got no answer, or only a part of one. */
export function brokenOff(request: ApiRequest, cause: unknown): HoldfastError {
  if (cause instanceof HoldfastError) return cause
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  if (inner instanceof HoldfastError) return inner
  const { code, syscall } = (inner ?? {}) as { code?: unknown; syscall?: unknown }
  const isUnsent = syscall === 'connect' || (typeof code === 'string' && unsentCodes.has(code))
  const words = reasonOf(inner)
  const reason = typeof code === 'string' && !words.includes(code) ? `${words} (${code})` : words
  const outcomeUnknown = request.method !== 'GET' && !isUnsent
  return new HoldfastError('E_CLUSTER_UNREACHABLE', { call: nameOf(request), reason, outcomeUnknown }, cause)
}

/** How long the server asks to wait; null where it does not ask. */
function retryAfterOf(status: Status, headers: Readonly<Record<string, unknown>>): number | null {
  const header = `${headers['retry-after'] ?? ''}`
  const seconds = /^\d{1,6}$/.test(header) ? Number(header) : status.details?.retryAfterSeconds
  return typeof seconds === 'number' && seconds >= 0 ? seconds * 1_000 : null
}
