import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Instant } from '../../../domain/time.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON; undefined where the body is empty or is not JSON. */
  readonly body: unknown
  /** When it came. */
  readonly at: Instant
}

export interface Extras {
  readonly body?: unknown
  /** `manual`: a redirection is an answer, and where it leads is the caller's to follow. */
  readonly redirect?: 'follow' | 'manual'
}

/**
 * One request with a deadline, as somebody and for some purpose. Throws `E_FORGE_UNAVAILABLE` where no whole
 * answer came or the forge is not well (5xx): whether the request took effect is then unknown. Every other
 * answer is the caller's to judge.
 */
export type Call = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  signal: AbortSignal,
  extras?: Extras,
) => Promise<Answer>

/** The one error for a forge that gave no answer to build on. */
export function unavailable(call: string, why: string, cause?: unknown): HoldfastError {
  return new HoldfastError('E_FORGE_UNAVAILABLE', { call, why }, cause)
}
