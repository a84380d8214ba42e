import type { Instant } from '../time.ts'
import { AT_END_MS, type Seen, samplesUpTo } from './host.ts'

/** How often the kernel refused to start one more process or thread in a runner's groups, and when. */
export interface ForksRefused {
  /** In its last half minute. */
  readonly atEnd: number
  readonly earlier: number
  /** When the newest of the earlier ones was seen. */
  readonly earlierAt: Instant | null
  /** The limit that it was refused for; null where it was not read. */
  readonly limit: number | null
}

/** What the agent read of the kernel's count; null where it read none. A count before the first sample has no time. */
export function forksRefused(seen: Seen): ForksRefused | null {
  let [atEnd, earlier] = [0, 0]
  let earlierAt: Instant | null = null
  let before: number | null = null
  let limit: number | null = null
  for (const { at, forksRefused: count = null, processesMax = null } of samplesUpTo(seen)) {
    limit = processesMax ?? limit
    if (count === null) continue
    const rise = count - (before ?? 0)
    const isAtEnd = before !== null && at >= seen.ending.endedAt - AT_END_MS
    if (rise > 0 && isAtEnd) atEnd += rise
    else if (rise > 0) {
      earlier += rise
      earlierAt = at
    }
    before = count
  }
  return before === null ? null : { atEnd, earlier, earlierAt, limit }
}
