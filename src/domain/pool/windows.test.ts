import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCron } from './cron.ts'
import type { WarmWindow } from './pool.ts'
import { nextWindowChange, warmNow } from './windows.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const at = (text: string) => Date.parse(`${text}Z`)

function poolWith(...windows: Partial<WarmWindow>[]) {
  const usual = { cron: '0 8 * * mon-fri', zone: 'UTC', durationMs: 10 * hourMs, minWarm: 5 }
  return { minWarm: 1, warmWindows: windows.map((window) => ({ ...usual, ...window })) }
}

describe('warmNow', () => {
  it('is what the pool says outside every window, and the greatest of those inside', () => {
    const pool = poolWith({}, { cron: '0 12 * * *', durationMs: hourMs, minWarm: 9 }, { minWarm: 0 })
    expect(warmNow(pool, at('2026-03-03T07:59:59'))).toBe(1)
    expect(warmNow(pool, at('2026-03-03T08:00:00'))).toBe(5)
    expect(warmNow(pool, at('2026-03-03T12:30:00'))).toBe(9)
    expect(warmNow(pool, at('2026-03-03T17:59:59.999'))).toBe(5)
    expect(warmNow(pool, at('2026-03-03T18:00:00'))).toBe(1)
  })

  it('goes by the clocks of the zone, in summer and in winter', () => {
    const pool = poolWith({ zone: 'Europe/Berlin', durationMs: hourMs })
    expect([5, 6, 7, 8].map((hour) => warmNow(pool, Date.UTC(2026, 6, 1, hour)))).toEqual([1, 5, 1, 1])
    expect([5, 6, 7, 8].map((hour) => warmNow(pool, Date.UTC(2026, 0, 7, hour)))).toEqual([1, 1, 5, 1])
  })

  it('opens a window whose time is skipped right after the gap', () => {
    const pool = poolWith({ cron: '30 2 * * *', zone: 'Europe/Berlin', durationMs: hourMs })
    expect(warmNow(pool, at('2026-03-29T00:59:59'))).toBe(1)
    expect(warmNow(pool, at('2026-03-29T01:00:00'))).toBe(5)
    expect(warmNow(pool, at('2026-03-29T02:00:00'))).toBe(1)
  })

  it('opens a window whose time comes twice both times', () => {
    const pool = poolWith({ cron: '30 2 * * *', zone: 'Europe/Berlin', durationMs: 30 * minuteMs })
    const opened = [0, 30, 60, 90, 120].map((minute) => warmNow(pool, Date.UTC(2026, 9, 25, 0, minute)))
    expect(opened).toEqual([1, 5, 1, 5, 1])
  })
})

describe('nextWindowChange', () => {
  it('is when the next window opens, and when the open one closes', () => {
    const pool = poolWith({ zone: 'America/New_York' })
    expect(nextWindowChange(pool, at('2026-03-06T23:00:00'))).toBe(at('2026-03-09T12:00:00'))
    expect(nextWindowChange(pool, at('2026-03-09T12:00:00'))).toBe(at('2026-03-09T22:00:00'))
  })

  it('finds the day that comes every fourth or eighth year', () => {
    const pool = poolWith({ cron: '0 0 29 2 *' })
    expect(nextWindowChange(pool, at('2096-03-01T00:00:00'))).toBe(at('2104-02-29T00:00:00'))
  })

  it('is null without windows', () => {
    expect(nextWindowChange(poolWith(), 0)).toBeNull()
  })
})

/** Clock changes of these zones, forward or back, by an hour or half of one. */
const clockChanges = [
  ['Europe/Berlin', at('2026-03-29T01:00:00')],
  ['Europe/Berlin', at('2026-10-25T01:00:00')],
  ['America/New_York', at('2026-03-08T07:00:00')],
  ['America/New_York', at('2026-11-01T06:00:00')],
  ['Australia/Lord_Howe', at('2026-04-04T15:00:00')],
  ['Australia/Lord_Howe', at('2026-10-03T15:30:00')],
  ['America/Sao_Paulo', at('2018-11-04T03:00:00')],
  ['Asia/Kathmandu', at('2026-05-01T00:00:00')],
] as const

describe('windows as a plain walk over every minute sees them', () => {
  const field = (from: number, to: number) =>
    fc.oneof(
      fc.constant('*'),
      fc.integer({ min: from, max: to }).map(String),
      fc.integer({ min: 1, max: 20 }).map((step) => `*/${step}`),
      fc
        .tuple(fc.integer({ min: from, max: to }), fc.integer({ min: from, max: to }))
        .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    )
  const cron = fc
    .tuple(field(0, 59), field(0, 4), field(1, 28), field(1, 12), field(0, 6))
    .map((fields) => fields.join(' '))
  const window = fc.record({
    cron,
    minWarm: fc.integer({ min: 0, max: 4 }),
    durationMs: fc.integer({ min: 1, max: 300 }).map((minutes) => minutes * minuteMs),
  })

  it('are open exactly then, and change no earlier than is said', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...clockChanges),
        fc.array(window, { minLength: 1, maxLength: 2 }),
        fc.integer({ min: -240, max: 240 }),
        fc.integer({ min: 0, max: minuteMs - 1 }),
        ([zone, turn], windows, minutes, ms) => {
          const pool = { minWarm: 1, warmWindows: windows.map((each) => ({ ...each, zone })) }
          const now = turn + minutes * minuteMs + ms
          const walk = walked(pool.warmWindows, zone, turn - 600 * minuteMs, turn + 600 * minuteMs)
          expect(warmNow(pool, now)).toBe(Math.max(1, walk(now)))
          const next = nextWindowChange(pool, now) ?? Number.POSITIVE_INFINITY
          expect(next).toBeGreaterThan(now)
          const before = Math.max(1, walk(now))
          for (let t = now; t < Math.min(next, now + 300 * minuteMs); t += 7 * minuteMs) {
            expect(Math.max(1, walk(t))).toBe(before)
          }
        },
      ),
      { numRuns: 200 },
    )
  })
})

/** Every minute is shown to every schedule, with the local minutes that were skipped before it. */
function walked(windows: readonly WarmWindow[], zone: string, from: number, to: number) {
  const local = localMinutes(zone)
  const schedules = windows.map((window) => ({ window, isNamed: namedBy(window.cron) }))
  const openings: { opened: number; window: WarmWindow }[] = []
  let before = local(from - minuteMs)
  for (let t = from; t < to; t += minuteMs) {
    const now = local(t)
    const shown = [now]
    for (let skipped = before + minuteMs; skipped < now; skipped += minuteMs) shown.push(skipped)
    for (const { window, isNamed } of schedules) {
      if (shown.some(isNamed)) openings.push({ opened: t, window })
    }
    before = now
  }
  return (now: number) =>
    openings.reduce(
      (most, { opened, window }) =>
        opened <= now && now < opened + window.durationMs ? Math.max(most, window.minWarm) : most,
      0,
    )
}

function localMinutes(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return (instant) => Date.parse(`${format.format(instant).replace(' ', 'T')}Z`)
}

function namedBy(text: string): (localMinute: number) => boolean {
  const parsed = parseCron(text)
  if (parsed.kind === 'wrong') throw new Error(parsed.problem)
  const { minutes, hours, days, months, weekdays } = parsed.cron
  const [, , dayField = '', , weekdayField = ''] = text.split(' ')
  const isEither = !dayField.startsWith('*') && !weekdayField.startsWith('*')
  return (localMinute) => {
    const date = new Date(localMinute)
    const [isDay, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())]
    const isTime = minutes.has(date.getUTCMinutes()) && hours.has(date.getUTCHours())
    const isThatDay = isEither ? isDay || isWeekday : isDay && isWeekday
    return isTime && months.has(date.getUTCMonth() + 1) && isThatDay
  }
}
