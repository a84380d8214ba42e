import type { HostRing } from '../domain/death/index.ts'
import type { Instant } from '../ports/clock.ts'
import type { Group } from './cgroup/group.ts'
import type { Watched } from './watched.ts'

/** One of which there is news is pushed no more often. */
const newsPushEveryMs = 5_000
/** One that lives is pushed so often without any, in outline: so much is lost of it when its node dies whole. */
const routinePushEveryMs = 60_000

/** A pod whose group is there, or was when it was last looked for. */
export interface Live {
  readonly watched: Watched
  /** Null: it is known from its file alone, or from the kernel's word, and was not looked at yet. */
  group: Group | null
  /** Something happened that is to be pushed whole while it lives. */
  tell(at: Instant): void
  /** Takes in what was seen of it now; true where its ring is to be pushed. */
  notice(seen: { readonly containers: number; readonly oomKills: number }, now: Instant): boolean
  ring(now: Instant, node: string, missing: readonly string[]): HostRing
  /** A ring of it arrived, or is not wanted. */
  settled(ring: HostRing, isWanted: boolean): void
}

/** `share`, 0 to 1, spreads the pushes of many pods that are found at once over half a round. */
export function createLive(watched: Watched, now: Instant, share: number): Live {
  let [containers, oomKills] = [0, 0]
  let newsAt: Instant | null = null
  let isNewsDue = false
  let newsPushedAt = Number.NEGATIVE_INFINITY
  let routineAt = now + (routinePushEveryMs * (1 + share)) / 2
  let isWanted = true
  const tell = (at: Instant): void => {
    newsAt = at
    isNewsDue = true
  }
  return {
    watched,
    group: null,
    tell,
    notice(seen, at) {
      // A kill, or a container that is gone, may be the end of the runner: who records it soon has the ring.
      if (seen.oomKills > oomKills || seen.containers < containers) tell(at)
      oomKills = Math.max(oomKills, seen.oomKills)
      containers = seen.containers
      const isNews = isNewsDue && at - newsPushedAt >= newsPushEveryMs
      const isRoutine = isWanted && at >= routineAt
      if (!isNews && !isRoutine) return false
      if (isNews) newsPushedAt = at
      isNewsDue &&= !isNews
      routineAt = at + routinePushEveryMs
      return true
    },
    ring: (at, node, missing) =>
      newsAt === null ? watched.outline(at, node, missing) : watched.ring(at, node, missing),
    settled(ring, wanted) {
      isWanted = wanted
      if (newsAt !== null && (ring.samples.at(-1)?.at ?? 0) >= newsAt) newsAt = null
    },
  }
}
