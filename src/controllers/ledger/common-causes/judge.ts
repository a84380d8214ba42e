import {
  type CommonCause,
  causeKey,
  commonCauses,
  ENDS_MAX,
  isOf,
  keysOf,
  type Place,
  type SealedEnd,
  tellingCauses,
} from '../../../domain/death/index.ts'
import type { Incident } from '../../../domain/incident/index.ts'
import type { Instant } from '../../../domain/time.ts'

export interface Seen {
  /** Those of the last day, or the newest `ENDS_MAX` of them; newest first. */
  readonly ends: readonly SealedEnd[]
  /** Where those are that live. */
  readonly runners: readonly Place[]
  /** Of runners, open ones and those that were over lately. */
  readonly incidents: readonly Incident[]
  readonly now: Instant
}

export interface Judged {
  /** To be opened, or told anew because there are more. */
  readonly raise: readonly CommonCause[]
  readonly lift: readonly Incident[]
}

export const dayMs = 86_400_000
/** What strikes at once shows in an hour, though the class is frequent; what comes back shows in a day. */
const windowsMs = [3_600_000, dayMs]
/** No more such ends for so long: it is over. Twice the short window, so that nothing opens and closes by turns. */
const quietMs = 2 * 3_600_000
/** Bounds what one pass opens (I10); more at once are one trouble, and are told by the first. */
const causesMax = 20

/**
 * What ends have in common now, against what was told already. It is told anew only for ends that came after it was told
 * last: neither time that passes nor a person who closed it makes it news again.
 */
export function judge({ ends, runners, incidents, now }: Seen): Judged {
  const open = new Map(incidents.filter(isOpen).map((row) => [row.key, row]))
  const newest = newestOf(ends, open)
  const found = tellingCauses(
    windowsMs.flatMap((windowMs) => look(ends, runners, now, windowMs)),
    ends,
    new Set(open.keys()),
  )
  const raise = found.filter((cause) => {
    const key = causeKey(cause)
    const last = lastOf(cause, ends)
    return now - last <= quietMs && last > toldAt(key, incidents)
  })
  const lift = [...open.values()].filter(
    ({ key, lastSeenAt }) => now - Math.max(lastSeenAt, newest.get(key) ?? 0) > quietMs,
  )
  return { raise: raise.slice(0, causesMax), lift }
}

export function isOpen({ closedAt }: Incident): boolean {
  return closedAt === null
}

/** Where there were more ends than are read, the window is as long as what was read. */
function look(
  ends: readonly SealedEnd[],
  runners: readonly Place[],
  now: Instant,
  windowMs: number,
): readonly CommonCause[] {
  const oldest = ends.length < ENDS_MAX ? now - windowMs : (ends.at(-1)?.sealedAt ?? now)
  const lookedMs = Math.min(windowMs, now - oldest)
  const within = ends.filter(({ sealedAt }) => sealedAt >= now - lookedMs)
  return commonCauses(within, runners, lookedMs)
}

/** When the newest end of each open cause was sealed. */
function newestOf(
  ends: readonly SealedEnd[],
  open: ReadonlyMap<string, Incident>,
): ReadonlyMap<string, Instant> {
  const newest = new Map<string, Instant>()
  const classes = new Set([...open.keys()].map((key) => key.split(' ', 1)[0]))
  for (const end of ends.filter((each) => classes.has(each.class))) {
    for (const key of keysOf(end)) newest.set(key, Math.max(newest.get(key) ?? 0, end.sealedAt))
  }
  return newest
}

function lastOf(cause: CommonCause, ends: readonly SealedEnd[]): Instant {
  return ends.reduce((last, end) => (isOf(cause, end) ? Math.max(last, end.sealedAt) : last), 0)
}

/** Up to when what it says is known: told while it is open, read by whoever closed it. */
function toldAt(key: string, incidents: readonly Incident[]): Instant {
  const own = incidents.filter((row) => row.key === key)
  return Math.max(0, ...own.map(({ closedAt, lastSeenAt }) => closedAt ?? lastSeenAt))
}
