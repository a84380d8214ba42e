import {
  type CommonCause,
  causeKey,
  causeKeysOf,
  commonCauses,
  distinctCauses,
  endsMax,
  isOfCause,
  type RunnerFactors,
  type SealedEnd,
} from '../../../domain/death/index.ts'
import type { Incident } from '../../../domain/incident/index.ts'
import type { Instant } from '../../../domain/time.ts'

export interface CauseInputs {
  /** Ends of the last day, or the newest `endsMax` of them; newest first. */
  readonly ends: readonly SealedEnd[]
  /** Live runners, with where each one is. */
  readonly runners: readonly RunnerFactors[]
  /** Incidents about runners, open ones and recently closed ones. */
  readonly incidents: readonly Incident[]
  readonly now: Instant
}

export interface Judged {
  /** Causes to open, or to update because there are more deaths. */
  readonly raise: readonly CommonCause[]
  readonly lift: readonly Incident[]
}

export const dayMs = 86_400_000
/** A sudden cause shows in an hour even where its class is frequent; a recurring one shows in a day. */
const windowsMs = [3_600_000, dayMs]
/** A cause without a new death for this long is over. Twice the short window, so that no incident flaps. */
const quietMs = 2 * 3_600_000
/** Bounds the incidents that one pass opens (I10); more at once are one problem, which the first ones report. */
const causesMax = 20

/**
 * Compares common causes with the open incidents. A cause is reported again only for deaths after its last report: neither
 * time that passes nor a person who closed it makes it news again.
 */
export function judge({ ends, runners, incidents, now }: CauseInputs): Judged {
  const open = new Map(incidents.filter(isOpen).map((row) => [row.key, row]))
  const newest = newestOf(ends, open)
  const found = distinctCauses(
    windowsMs.flatMap((windowMs) => look(ends, runners, now, windowMs)),
    ends,
    new Set(open.keys()),
  )
  const raise = found.filter((cause) => {
    const key = causeKey(cause)
    const last = lastOf(cause, ends)
    return now - last <= quietMs && last > reportedAt(key, incidents)
  })
  const lift = [...open.values()].filter(
    ({ key, lastSeenAt }) => now - Math.max(lastSeenAt, newest.get(key) ?? 0) > quietMs,
  )
  return { raise: raise.slice(0, causesMax), lift }
}

export function isOpen({ closedAt }: Incident): boolean {
  return closedAt === null
}

/** Where there were more deaths than are read, the window is as long as the part that was read. */
function look(
  ends: readonly SealedEnd[],
  runners: readonly RunnerFactors[],
  now: Instant,
  windowMs: number,
): readonly CommonCause[] {
  const oldest = ends.length < endsMax ? now - windowMs : (ends.at(-1)?.sealedAt ?? now)
  const lookedMs = Math.min(windowMs, now - oldest)
  const within = ends.filter(({ sealedAt }) => sealedAt >= now - lookedMs)
  return commonCauses(within, runners, lookedMs)
}

/** When the newest death of each open cause was sealed. */
function newestOf(
  ends: readonly SealedEnd[],
  open: ReadonlyMap<string, Incident>,
): ReadonlyMap<string, Instant> {
  const newest = new Map<string, Instant>()
  const classes = new Set([...open.keys()].map((key) => key.split(' ', 1)[0]))
  for (const end of ends.filter((each) => classes.has(each.class))) {
    for (const key of causeKeysOf(end)) newest.set(key, Math.max(newest.get(key) ?? 0, end.sealedAt))
  }
  return newest
}

function lastOf(cause: CommonCause, ends: readonly SealedEnd[]): Instant {
  return ends.reduce((last, end) => (isOfCause(cause, end) ? Math.max(last, end.sealedAt) : last), 0)
}

/** Up to when a cause is known: reported while it is open, read by the person who closed it. */
function reportedAt(key: string, incidents: readonly Incident[]): Instant {
  const own = incidents.filter((row) => row.key === key)
  return Math.max(0, ...own.map(({ closedAt, lastSeenAt }) => closedAt ?? lastSeenAt))
}
