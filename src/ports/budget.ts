import type { Instant } from '../domain/time.ts'

/**
 * What a call to the forge is for. When the budget runs low, resyncs stop first, then dispatch; the last part is
 * recovery's, because a job that nobody can rescue is worse than one that waits.
 */
export const purposes = ['resync', 'dispatch', 'recovery'] as const
export type Purpose = (typeof purposes)[number]

/** The forge's rate limit as one response reported it. */
export interface BudgetReading {
  readonly limit: number
  readonly remaining: number
  readonly resetAt: Instant
}

export type Admission =
  | { readonly kind: 'go' }
  /** Nothing is sent before then. */
  | { readonly kind: 'wait'; readonly forMs: number; readonly why: string }

/** A place among the calls that are under way at once, to be left when the answer is there; or none. */
export type Placed =
  | { readonly kind: 'go'; leave(): void }
  | { readonly kind: 'wait'; readonly forMs: number; readonly why: string }

/** One account's calls to the forge, shared by all who make them, also in other processes. */
export interface Budget {
  admit(purpose: Purpose): Admission
  /**
   * Waits a little until it is the call's turn, where the forge counts points: the pace is shared by all processes.
   * Recovery never waits. Without it there is no such limit.
   */
  enter?(points: number, purpose: Purpose, signal: AbortSignal): Promise<Admission>
  /**
   * Waits a little until there is room for one more call at once, where the forge limits that; some of it is kept for
   * recovery. Without it there is no such limit.
   */
  place?(purpose: Purpose, signal: AbortSignal): Promise<Placed>
  /** Notes what a response reported of the limit. */
  note(reading: BudgetReading): void
  /** The forge asked everybody to be silent for a while (its secondary limit). */
  pause(forMs: number, why: string): void
}
