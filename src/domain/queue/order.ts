import { type Job, priorities } from '../job/index.ts'
import type { Instant } from '../time.ts'

export type Queued = Pick<Job, 'id' | 'priority' | 'shareTag' | 'forgeQueuedAt' | 'seenAt'>

/** Since when a job waits: the forge's time where it is known, because it is what the developer sees. */
export function waitingSince(job: Pick<Job, 'forgeQueuedAt' | 'seenAt'>): Instant {
  return Math.min(job.forgeQueuedAt ?? job.seenAt, job.seenAt)
}

export function isAged(job: Queued, now: Instant, ageingMs: number): boolean {
  return waitingSince(job) <= now - ageingMs
}

/**
 * Which of two queued jobs goes first: those that waited too long (oldest first), then the more urgent class,
 * then the lower share tag, then the older row. The ledger's claim statement says the same in SQL, and a
 * property test holds the two together.
 */
export function compareQueued(a: Queued, b: Queued, now: Instant, ageingMs: number): number {
  const agedA = isAged(a, now, ageingMs)
  const agedB = isAged(b, now, ageingMs)
  if (agedA !== agedB) return agedA ? -1 : 1
  if (agedA) return waitingSince(a) - waitingSince(b) || a.id - b.id
  return (
    priorities.indexOf(a.priority) - priorities.indexOf(b.priority) || a.shareTag - b.shareTag || a.id - b.id
  )
}

/**
 * Start tag of fair queueing. A repository's next job starts one share after its last one, and no repository
 * collects credit while it is idle: it joins at the pool's present time.
 */
export function startTag(input: {
  /** Highest tag among the pool's jobs in service, and lowest among those queued: whichever is greater; else 0. */
  readonly poolTag: number
  /** Highest tag of this repository's open jobs in the pool; null where it has none. */
  readonly lastTag: number | null
  readonly weight: number
}): number {
  if (input.lastTag === null) return input.poolTag
  return Math.max(input.poolTag, input.lastTag + 1 / input.weight)
}
