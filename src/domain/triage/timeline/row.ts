import { durationText } from '../../format.ts'
import type { Instant } from '../../time.ts'
import type { TimelineEntry, TimelineSource } from '../../timeline/index.ts'

/** How exact a time is: clusters and forges write whole seconds. */
type TimePrecision = 'second' | 'millisecond'

/** One row of a merged timeline. */
export interface TimelineCaseRow extends TimelineEntry {
  readonly precision: TimePrecision
  /** Why the row does not fit to the others; null where nothing contradicts it. */
  readonly mark: string | null
}

/** A fact that has no time: a status says what is, and not since when. */
export type UndatedFact = Pick<TimelineEntry, 'source' | 'text'>

/** A time that a row cannot be before, by any clock that is right. */
export interface Anchor {
  readonly at: Instant | null
  /** The event of that time, as in `its pod was made`. */
  readonly what: string
}

const secondMs = 1_000
const wholeSeconds: ReadonlySet<TimelineSource> = new Set(['forge', 'cluster', 'kubelet'])

/** Rows of entries, marked where they are before an anchor, whatever their clocks say. */
export function rowsAfter(
  entries: readonly TimelineEntry[],
  anchors: readonly Anchor[] = [],
): readonly TimelineCaseRow[] {
  return entries.map((entry) => ({
    ...entry,
    precision: precisionOf(entry),
    mark: anchors.flatMap((anchor) => beforeText(entry.at, anchor))[0] ?? null,
  }))
}

function precisionOf({ at, source }: TimelineEntry): TimePrecision {
  return wholeSeconds.has(source) && at % secondMs === 0 ? 'second' : 'millisecond'
}

/** Less than a second contradicts nothing: whole seconds are cut, not rounded. */
function beforeText(at: Instant, { at: anchor, what }: Anchor): string[] {
  if (anchor === null || anchor - at < secondMs) return []
  return [`${durationText(anchor - at)} before ${what}`]
}

/** The row, marked where it is later than its facts were read. */
export function markedByReading(row: TimelineCaseRow, readAt: Instant): TimelineCaseRow {
  const aheadMs = row.at - readAt
  if (row.mark !== null || aheadMs <= secondMs) return row
  return { ...row, mark: `${durationText(aheadMs)} after the facts were read` }
}
