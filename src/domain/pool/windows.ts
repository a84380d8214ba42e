import type { Instant } from '../time.ts'
import { type Cron, namesDay, parseCron } from './cron.ts'
import type { Pool, WarmWindow } from './pool.ts'
import { type EvenTime, type LocalTime, type Zone, zoneOf } from './zone.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** The longest wait that a schedule can name: from one 29 February to the next over a year that has none. */
const horizonMs = (8 * 366 + 2) * dayMs
/** So much is looked at before more is: most schedules name a time within it. */
const stretchMs = 8 * dayMs

type Warmth = Pick<Pool, 'minWarm' | 'warmWindows'>

/**
 * How many runners are to be kept ready: the greatest of what the pool says and of every window that is open. A local
 * time that is skipped when clocks go forward counts as the moment after; one that comes twice opens its window twice.
 */
export function warmNow(pool: Warmth, now: Instant): number {
  const open = pool.warmWindows.filter((window) => closesAt(window, now) !== null)
  return Math.max(pool.minWarm, ...open.map(({ minWarm }) => minWarm))
}

/** No later than the next time at which `warmNow` gives another number; null where it never does. */
export function nextWindowChange(pool: Warmth, now: Instant): Instant | null {
  const changes = pool.warmWindows.map((window) => closesAt(window, now) ?? opensAt(window, now))
  return changes.reduce<Instant | null>((soonest, at) => earlier(soonest, at), null)
}

/** When the window that is open closes, as far as it is known now; null where it is closed. */
function closesAt(window: WarmWindow, now: Instant): Instant | null {
  const schedule = scheduleOf(window)
  const opened = schedule && lastTime(schedule, now - window.durationMs, now)
  return opened === null ? null : opened + window.durationMs
}

function opensAt(window: WarmWindow, now: Instant): Instant | null {
  const schedule = scheduleOf(window)
  if (schedule === null) return null
  for (let from = now; from < now + horizonMs; from += stretchMs) {
    const at = firstTime(schedule, from, from + stretchMs)
    if (at !== null) return at
  }
  return null
}

interface Schedule {
  readonly cron: Cron
  readonly zone: Zone
}

/** An expression that cannot be parsed never opens; declarations are validated before. */
function scheduleOf({ cron: text, zone: name }: WarmWindow): Schedule | null {
  const parsed = parseCron(text)
  const zone = zoneOf(name)
  return parsed.kind === 'wrong' || zone === null ? null : { cron: parsed.cron, zone }
}

/** The last time that the schedule names after `after` and not after `until`. */
function lastTime({ cron, zone }: Schedule, after: Instant, until: Instant): Instant | null {
  const times = zone.evenTimes(after, until + 1)
  for (let index = times.length - 1; index >= 0; index -= 1) {
    const time = times[index] as EvenTime
    const from = Math.max(time.from, after + 1)
    const found = lastLocal(cron, from + time.offsetMs, time.to + time.offsetMs)
    const at = found === null ? timeInGap(cron, times[index - 1], time) : found - time.offsetMs
    if (at !== null) return at
  }
  return null
}

/** The first time that the schedule names after `after` and not after `until`. */
function firstTime({ cron, zone }: Schedule, after: Instant, until: Instant): Instant | null {
  const times = zone.evenTimes(after, until + 1)
  for (const [index, time] of times.entries()) {
    const gap = timeInGap(cron, times[index - 1], time)
    if (gap !== null) return gap
    const from = Math.max(time.from, after + 1)
    const found = firstLocal(cron, from + time.offsetMs, time.to + time.offsetMs)
    if (found !== null) return found - time.offsetMs
  }
  return null
}

/** Where the clocks went forward before `time`, and a time that the schedule names was skipped. */
function timeInGap(cron: Cron, before: EvenTime | undefined, time: EvenTime): Instant | null {
  if (before === undefined || before.offsetMs >= time.offsetMs) return null
  const skipped = firstLocal(cron, time.from + before.offsetMs, time.from + time.offsetMs)
  return skipped === null ? null : time.from
}

/** The first minute from `from` and before `to` that the schedule names. */
function firstLocal(cron: Cron, from: LocalTime, to: LocalTime): LocalTime | null {
  for (let day = floorDay(from); day < to; day += dayMs) {
    const found = isNamed(cron, day) ? minutesOf(cron).find((minute) => day + minute >= from) : undefined
    if (found !== undefined) return day + found < to ? day + found : null
  }
  return null
}

/** The last minute from `from` and before `to` that the schedule names. */
function lastLocal(cron: Cron, from: LocalTime, to: LocalTime): LocalTime | null {
  for (let day = floorDay(to); day + dayMs > from; day -= dayMs) {
    const found = isNamed(cron, day) ? minutesOf(cron).findLast((minute) => day + minute < to) : undefined
    if (found !== undefined) return day + found >= from ? day + found : null
  }
  return null
}

function isNamed(cron: Cron, day: LocalTime): boolean {
  const date = new Date(day)
  return namesDay(cron, date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay())
}

/** The times of a day that a schedule names, as time since midnight. */
function minutesOf({ hours, minutes }: Cron): number[] {
  const times = [...hours].flatMap((hour) => [...minutes].map((minute) => hour * hourMs + minute * minuteMs))
  return times.sort((a, b) => a - b)
}

function floorDay(time: LocalTime): LocalTime {
  return Math.floor(time / dayMs) * dayMs
}

function earlier(a: Instant | null, b: Instant | null): Instant | null {
  if (a === null || b === null) return a ?? b
  return Math.min(a, b)
}
