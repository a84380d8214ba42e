import type { Instant } from '../time.ts'
import { type HostEvidence, roundingMs, samplesUpTo } from './host.ts'
import type { HostSample, HostSamples } from './host-samples.ts'

/** A kill this close to the end is the end: ends are in whole seconds. */
const isEndMs = 2_000
/** A rise between two samples at most this far apart is dated by the later one. */
const sampleMs = 1_500
/** A kubelet truncates the end to whole seconds: it may have been this much later. */
const roundedMs = 1_000

/** OOM kills in a runner's cgroups, by the host's kernel. */
export interface OomKills {
  /** Kills within two seconds of the end. */
  readonly atEnd: number
  readonly earlier: number
  /** Kills between a sample well before the end and one at the end. */
  readonly untimed: number
  readonly inAll: number
  /** The time of the newest earlier kill. */
  readonly earlierAt: Instant | null
}

type Found = Omit<OomKills, 'inAll'>
const none: Found = { atEnd: 0, earlier: 0, untimed: 0, earlierAt: null }

/**
 * OOM kills that the host's kernel counted or logged, with their times; null where nothing is known. Only a count from after
 * the end shows that there was none: the samples may have been sent seconds before it.
 */
export function oomKillsOf(evidence: HostEvidence): OomKills | null {
  if (evidence.ring === null) return null
  const lines = linesIn(evidence.ring, evidence.ending.endedAt)
  const counted = samplesUpTo(evidence).filter(({ oomKills }) => oomKills !== null)
  const counts = countsIn(counted, evidence.ending.endedAt)
  if (counted.length === 0 && lines.atEnd + lines.earlier === 0) return null
  const found = joined(lines, counts)
  const inAll = found.atEnd + found.earlier + found.untimed
  if (inAll === 0 && !isCountedAfter(evidence.ring, evidence.ending.endedAt, 0)) return null
  return { ...found, inAll }
}

/** Whether a count from after the end shows that no kill came with it. */
export function isQuietAtEnd({ ring, ending }: HostEvidence): boolean {
  const before = ring?.samples.findLast(
    ({ at, oomKills }) => at < ending.endedAt - isEndMs && oomKills !== null,
  )
  return ring !== null && before !== undefined && isCountedAfter(ring, ending.endedAt, before.oomKills ?? 0)
}

function linesIn({ oomLines }: HostSamples, endedAt: Instant): Found {
  const upTo = oomLines.filter(({ at }) => at <= endedAt + roundingMs)
  const earlier = upTo.filter(({ at }) => at < endedAt - isEndMs)
  return {
    atEnd: upTo.length - earlier.length,
    earlier: earlier.length,
    untimed: 0,
    earlierAt: earlier.at(-1)?.at ?? null,
  }
}

/** The rises of the count, each dated by the two samples around it. */
function countsIn(counted: readonly HostSample[], endedAt: Instant): Found {
  let { atEnd, earlier, untimed, earlierAt } = none
  for (const [index, { at, oomKills }] of counted.entries()) {
    const before = counted[index - 1]
    const rise = (oomKills ?? 0) - (before?.oomKills ?? 0)
    if (rise <= 0) continue
    if (at < endedAt - isEndMs) {
      earlier += rise
      earlierAt = at
    } else if (before !== undefined && before.at >= endedAt - isEndMs - sampleMs) atEnd += rise
    else untimed += rise
  }
  return { atEnd, earlier, untimed, earlierAt }
}

/** Merges two views of the same kills: the kernel's lines have times where the counts have gaps. */
function joined(lines: Found, counts: Found): Found {
  const atEnd = Math.max(lines.atEnd, counts.atEnd)
  const earlier = Math.max(lines.earlier, counts.earlier)
  const timed = atEnd - counts.atEnd + (earlier - counts.earlier)
  const times = [lines.earlierAt, counts.earlierAt].filter((at) => at !== null)
  return {
    atEnd,
    earlier,
    untimed: Math.max(0, counts.untimed - timed),
    earlierAt: times.length === 0 ? null : Math.max(...times),
  }
}

function isCountedAfter({ samples }: HostSamples, endedAt: Instant, count: number): boolean {
  const after = samples.find(({ at, oomKills }) => at >= endedAt + roundedMs && oomKills !== null)
  return after?.oomKills === count
}
