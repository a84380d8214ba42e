import type { Instant } from '../time.ts'

/** Entries of a timeline that are kept; older ones are counted. */
const entriesMax = 200

/** The newest entries by time, those of one time in the order given, and how many older ones are left out. */
export function newestEntries<T extends { readonly at: Instant }>(
  entries: readonly T[],
): { readonly entries: readonly T[]; readonly leftOut: number } {
  const sorted = entries.toSorted((a, b) => a.at - b.at)
  return { entries: sorted.slice(-entriesMax), leftOut: Math.max(0, sorted.length - entriesMax) }
}
