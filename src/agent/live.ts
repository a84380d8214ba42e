import type { HostSamples } from '../domain/death/index.ts'
import type { Instant } from '../ports/clock.ts'
import type { Group } from './cgroup/group.ts'
import type { Watched } from './watched.ts'

/** The minimum interval of pushes after changes. */
const newsPushEveryMs = 5_000
/** The interval of outline pushes without a change: the most that is lost when a node is lost. */
const routinePushEveryMs = 60_000

/** A pod whose group existed at the last tick. */
export interface Live {
  readonly watched: Watched
  /** Null: the pod is known only from its file or from the kernel's log, and was not sampled yet. */
  group: Group | null
  /** Requests a push of the full ring after a change. */
  markChanged(at: Instant): void
  /** Takes in a new observation; true where the ring is due to be pushed. */
  notice(counts: { readonly containers: number; readonly oomKills: number }, now: Instant): boolean
  ring(now: Instant, node: string, missing: readonly string[]): HostSamples
  /** Called when a ring of the pod arrived or was refused. */
  settled(ring: HostSamples, isWanted: boolean): void
}

/** `share`, 0 to 1, spreads the pushes of many pods that are found at once over half a round. */
export function createLive(watched: Watched, now: Instant, share: number): Live {
  let [containers, oomKills] = [0, 0]
  let newsAt: Instant | null = null
  let isNewsDue = false
  let newsPushedAt = Number.NEGATIVE_INFINITY
  let routineAt = now + (routinePushEveryMs * (1 + share)) / 2
  let isWanted = true
  const markChanged = (at: Instant): void => {
    newsAt = at
    isNewsDue = true
  }
  return {
    watched,
    group: null,
    markChanged,
    notice(counts, at) {
      // A kill, or a container that is gone, may be the end of the runner: its death record needs the ring soon.
      if (counts.oomKills > oomKills || counts.containers < containers) markChanged(at)
      oomKills = Math.max(oomKills, counts.oomKills)
      containers = counts.containers
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
