import type { Instant } from '../time.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Local time, written as the instant at which UTC shows the same date and time. */
export type LocalTime = number

/** A stretch of time, its end not included, in which the clocks of a zone go evenly. */
export interface EvenTime {
  readonly from: Instant
  readonly to: Instant
  /** Local time minus UTC. */
  readonly offsetMs: number
}

export interface Zone {
  /** Cut where the clocks are put forward or back, the earliest first; at most a day at a time is looked at. */
  evenTimes(from: Instant, to: Instant): EvenTime[]
}

/** The clocks of a zone; null where there is no zone of this name. */
export function zoneOf(name: string): Zone | null {
  const format = formatOf(name)
  if (format === null) return null
  const offsetAt = (instant: Instant): number => localTime(format, instant) - floorMinute(instant)
  return {
    evenTimes(from, to) {
      const times: EvenTime[] = []
      for (let at = from; at < to; ) {
        const next = Math.min(to, at + dayMs)
        const offsetMs = offsetAt(at)
        const turn = offsetAt(next) === offsetMs ? next : turnBetween(offsetAt, at, next)
        const last = times.at(-1)
        if (last !== undefined && last.offsetMs === offsetMs) times[times.length - 1] = { ...last, to: turn }
        else times.push({ from: at, to: turn, offsetMs })
        at = turn
      }
      return times
    },
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  const parts = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  } as const
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      ...parts,
      hourCycle: 'h23',
      calendar: 'gregory',
      numberingSystem: 'latn',
    })
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function localTime(format: Intl.DateTimeFormat, instant: Instant): LocalTime {
  const at: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(instant)) at[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = at
  return Date.UTC(year, month - 1, day, hour, minute)
}

/** The first minute at which the clocks show something else; the clocks turn once in between. */
function turnBetween(offsetAt: (instant: Instant) => number, from: Instant, to: Instant): Instant {
  const before = offsetAt(from)
  let [even, turned] = [floorMinute(from), Math.ceil(to / minuteMs) * minuteMs]
  while (turned - even > minuteMs) {
    const middle = floorMinute((even + turned) / 2)
    if (offsetAt(middle) === before) even = middle
    else turned = middle
  }
  return turned
}

function floorMinute(instant: Instant): Instant {
  return Math.floor(instant / minuteMs) * minuteMs
}
