import type { Clock, Instant } from '../../../ports/clock.ts'
import type { Freshness } from '../../../ports/cluster.ts'

/** What a server has saved up for a watch comes at once: after such a gap, or such a time, all of it has come. */
const GAP_MS = 1_000
const BACKLOG_MS = 5_000

/** Keeps the time of the last proof that the view agrees with the cluster. */
export interface Proofs {
  freshness(): Freshness
  /** A list that was asked for at this time has been taken to its end. */
  listed(askedAt: Instant): void
  /** A watch is open: nothing is wrong any more, but what comes first may be old news. */
  watching(): void
  /** An event came. A bookmark is a proof in itself; others are once the old news are through. */
  heard(isBookmark: boolean): void
  troubled(why: string): void
}

export function createProofs(clock: Pick<Clock, 'now'>): Proofs {
  let provenAt: Instant | null = null
  let isWhole = false
  let trouble: string | null = null
  let openedAt = 0
  let heardAt = 0
  let isCaughtUp = false
  return {
    freshness() {
      const ageMs = provenAt === null ? Number.POSITIVE_INFINITY : Math.max(0, clock.now() - provenAt)
      return { isWhole, provenAt, ageMs, trouble }
    },
    listed(askedAt) {
      provenAt = askedAt
      isWhole = true
      trouble = null
    },
    watching() {
      openedAt = clock.now()
      heardAt = openedAt
      isCaughtUp = false
      trouble = null
    },
    heard(isBookmark) {
      const now = clock.now()
      isCaughtUp ||= isBookmark || now - heardAt >= GAP_MS || now - openedAt >= BACKLOG_MS
      heardAt = now
      if (isCaughtUp) provenAt = now
    },
    troubled(why) {
      trouble = why
    },
  }
}
