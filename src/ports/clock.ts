import type { Instant } from '../domain/time.ts'

export type { Instant }

/**
 * The only source of time outside `platform/` and `adapters/`.
 * The simulation runs the same code on a clock that it moves itself.
 */
export interface Clock {
  now(): Instant
  /** Resolves after `delayMs`; rejects with the signal's reason if it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
  /** Calls back once after `delayMs` unless the returned function is called first. */
  after(delayMs: number, callback: () => void): () => void
}
