import type { Clock, Instant } from '../../../../ports/clock.ts'
import type { Freshness } from '../../../../ports/cluster.ts'

/** The backlog of a server for a watch comes at once: after such a gap, or such a time, all of it has come. */
const gapMs = 1_000
const backlogMs = 5_000

/** Keeps the time of the last proof that the view agrees with the cluster. */
export interface Proofs {
  freshness(): Freshness
  /** A list that was asked for at this time has been taken to its end. */
  listed(askedAt: Instant): void
  /** A watch is open: nothing is wrong any more, but what comes first may be old news. */
  watching(): void
  /** An event came. A bookmark is a proof in itself; others are once the old news are through. */
  received(isBookmark: boolean): void
  troubled(why: string): void
}

export function createProofs(clock: Pick<Clock, 'now'>): Proofs {
  let provenAt: Instant | null = null
  let isWhole = false
  let problem: string | null = null
  let openedAt = 0
  let receivedAt = 0
  let isCaughtUp = false
  return {
    freshness() {
      const ageMs = provenAt === null ? Number.POSITIVE_INFINITY : Math.max(0, clock.now() - provenAt)
      return { isWhole, provenAt, ageMs, problem }
    },
    listed(askedAt) {
      provenAt = askedAt
      isWhole = true
      problem = null
    },
    watching() {
      openedAt = clock.now()
      receivedAt = openedAt
      isCaughtUp = false
      problem = null
    },
    received(isBookmark) {
      const now = clock.now()
      isCaughtUp ||= isBookmark || now - receivedAt >= gapMs || now - openedAt >= backlogMs
      receivedAt = now
      if (isCaughtUp) provenAt = now
    },
    troubled(why) {
      problem = why
    },
  }
}
