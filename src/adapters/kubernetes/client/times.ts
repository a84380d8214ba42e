import type { Instant } from '../../../ports/clock.ts'

/** A time as the API writes it; null where it is none. */
export function instantOf(text: string | null | undefined): Instant | null {
  const at = Date.parse(text ?? '')
  return Number.isNaN(at) ? null : at
}
