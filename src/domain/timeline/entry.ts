import type { Instant } from '../time.ts'

/** Sources of what a timeline says. Only `log` is written by the job's own processes: it may lie. */
export const timelineSources = ['ledger', 'forge', 'kubelet', 'cluster', 'host', 'agent', 'log'] as const
export type TimelineSource = (typeof timelineSources)[number]

/** Something that happened, and who says so. */
export interface TimelineEntry {
  readonly at: Instant
  readonly source: TimelineSource
  readonly text: string
}

/** The end of the year 9999: later times cannot be written as others are. */
const instantMax = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Nothing where nobody says when, or in no year of a calendar. */
export function entryAt(at: Instant | null, source: TimelineSource, text: string): TimelineEntry[] {
  return isTime(at) ? [{ at, source, text }] : []
}

export function isTime(at: Instant | null): at is Instant {
  return at !== null && at > 0 && at <= instantMax
}
