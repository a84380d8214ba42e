import type { Instant } from '../time.ts'
import { atEndMs, type HostEvidence, samplesUpTo } from './host.ts'

/** How often the kernel refused to start one more process or thread in a runner's groups, and when. */
export interface ForksRefused {
  /** In its last half minute. */
  readonly atEnd: number
  readonly earlier: number
  /** The time of the newest earlier refusal. */
  readonly earlierAt: Instant | null
  /** The process limit; null where it was not read. */
  readonly limit: number | null
}

/** Refusals by the kernel's count in the samples; null without one. A count before the first sample has no time. */
export function forksRefused(evidence: HostEvidence): ForksRefused | null {
  let [atEnd, earlier] = [0, 0]
  let earlierAt: Instant | null = null
  let before: number | null = null
  let limit: number | null = null
  for (const { at, forksRefused: count = null, processesMax = null } of samplesUpTo(evidence)) {
    limit = processesMax ?? limit
    if (count === null) continue
    const rise = count - (before ?? 0)
    const isAtEnd = before !== null && at >= evidence.ending.endedAt - atEndMs
    if (rise > 0 && isAtEnd) atEnd += rise
    else if (rise > 0) {
      earlier += rise
      earlierAt = at
    }
    before = count
  }
  return before === null ? null : { atEnd, earlier, earlierAt, limit }
}
