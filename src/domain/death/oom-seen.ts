import type { Instant } from '../time.ts'
import { ROUNDING_MS, type Seen, samplesUpTo } from './host.ts'
import type { HostRing, HostSample } from './host-ring.ts'

/** A kill is the end where no more than this lies between them: ends are given in whole seconds. */
const IS_END_MS = 2_000
/** A count that rose between two samples that are no further apart rose at the time of the later one. */
const SAMPLE_MS = 1_500
/** A kubelet cuts the end to whole seconds: it may have been so much later. */
const ROUNDED_MS = 1_000

/** Kills for memory in a runner's groups, by the host's kernel. */
export interface OomSeen {
  /** As it ended: within two seconds. */
  readonly atEnd: number
  readonly earlier: number
  /** Between two looks of which one was before the end and one about then. */
  readonly untimed: number
  readonly inAll: number
  /** When the newest of the earlier ones was seen. */
  readonly earlierAt: Instant | null
}

type Found = Omit<OomSeen, 'inAll'>
const none: Found = { atEnd: 0, earlier: 0, untimed: 0, earlierAt: null }

/**
 * Kills for memory that the host's kernel counted or wrote of, with their times; null: it cannot tell. That there was
 * none is known only by a count from after the end: a ring may have been sent seconds before it.
 */
export function oomSeen(seen: Seen): OomSeen | null {
  if (seen.ring === null) return null
  const lines = linesIn(seen.ring, seen.ending.endedAt)
  const counted = samplesUpTo(seen).filter(({ oomKills }) => oomKills !== null)
  const counts = countsIn(counted, seen.ending.endedAt)
  if (counted.length === 0 && lines.atEnd + lines.earlier === 0) return null
  const found = joined(lines, counts)
  const inAll = found.atEnd + found.earlier + found.untimed
  if (inAll === 0 && !isCountedAfter(seen.ring, seen.ending.endedAt, 0)) return null
  return { ...found, inAll }
}

/** Whether the kernel counted on after the end, and no kill came with it. */
export function isQuietAtEnd({ ring, ending }: Seen): boolean {
  const before = ring?.samples.findLast(
    ({ at, oomKills }) => at < ending.endedAt - IS_END_MS && oomKills !== null,
  )
  return ring !== null && before !== undefined && isCountedAfter(ring, ending.endedAt, before.oomKills ?? 0)
}

function linesIn({ oomLines }: HostRing, endedAt: Instant): Found {
  const upTo = oomLines.filter(({ at }) => at <= endedAt + ROUNDING_MS)
  const earlier = upTo.filter(({ at }) => at < endedAt - IS_END_MS)
  return {
    ...{ atEnd: upTo.length - earlier.length, earlier: earlier.length, untimed: 0 },
    earlierAt: earlier.at(-1)?.at ?? null,
  }
}

/** Each rise of the count, by the two samples between which it rose. */
function countsIn(counted: readonly HostSample[], endedAt: Instant): Found {
  let { atEnd, earlier, untimed, earlierAt } = none
  for (const [place, { at, oomKills }] of counted.entries()) {
    const before = counted[place - 1]
    const rise = (oomKills ?? 0) - (before?.oomKills ?? 0)
    if (rise <= 0) continue
    if (at < endedAt - IS_END_MS) {
      earlier += rise
      earlierAt = at
    } else if (before !== undefined && before.at >= endedAt - IS_END_MS - SAMPLE_MS) atEnd += rise
    else untimed += rise
  }
  return { atEnd, earlier, untimed, earlierAt }
}

/** The same kills are in both: the kernel's lines have times where the counts were not read. */
function joined(lines: Found, counts: Found): Found {
  const atEnd = Math.max(lines.atEnd, counts.atEnd)
  const earlier = Math.max(lines.earlier, counts.earlier)
  const timed = atEnd - counts.atEnd + (earlier - counts.earlier)
  const times = [lines.earlierAt, counts.earlierAt].filter((at) => at !== null)
  return {
    ...{ atEnd, earlier, untimed: Math.max(0, counts.untimed - timed) },
    earlierAt: times.length === 0 ? null : Math.max(...times),
  }
}

function isCountedAfter({ samples }: HostRing, endedAt: Instant, count: number): boolean {
  const after = samples.find(({ at, oomKills }) => at >= endedAt + ROUNDED_MS && oomKills !== null)
  return after?.oomKills === count
}
