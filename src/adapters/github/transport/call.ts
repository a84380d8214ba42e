import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Instant } from '../../../domain/time.ts'

export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON; undefined where the body is empty or is not JSON. */
  readonly body: unknown
  /** When it came. */
  readonly at: Instant
}

export interface Extras {
  readonly body?: unknown
  /** `manual`: a redirect is returned as an answer for the caller to follow. */
  readonly redirect?: 'follow' | 'manual'
}

/**
 * One request with a deadline, under some identity and for some purpose. Throws `E_FORGE_UNAVAILABLE` where no whole
 * answer came or the forge failed (5xx): whether the request took effect is then unknown. Every other answer is
 * returned.
 */
export type Call = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  signal: AbortSignal,
  extras?: Extras,
) => Promise<ApiResponse>

/** The error for a forge that gave no usable answer. */
export function unavailable(call: string, why: string, cause?: unknown): HoldfastError {
  return new HoldfastError('E_FORGE_UNAVAILABLE', { call, why }, cause)
}
