/** What the work on one key came to. A failure throws and is repeated after a growing pause. */
export type Worked =
  | { readonly kind: 'done' }
  /** Look again after so long, although nothing failed. */
  | { readonly kind: 'again'; readonly inMs: number }

export interface WorkQueueState {
  /** Keys that are ready and wait for a worker. */
  readonly waitingCount: number
  /** Keys that wait for their time. */
  readonly delayedCount: number
  readonly workingCount: number
  /** Keys whose last work failed. */
  readonly failingCount: number
}

/**
 * Work by key: a key is worked on by one worker at a time; keys that are added while they wait are one piece of
 * work, and keys that are added while they are worked on are worked on once more afterwards.
 */
export interface WorkQueue {
  /** As soon as a worker is free; a pause after failures is respected. */
  add(key: string): void
  /** Not before `delayMs` have passed; the earliest of several times holds. */
  addAfter(key: string, delayMs: number): void
  state(): WorkQueueState
  /** Works until the signal is aborted, then waits for what is being worked on. */
  run(signal: AbortSignal): Promise<void>
}
