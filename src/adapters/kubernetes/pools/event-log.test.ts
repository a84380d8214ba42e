import { describe, expect, it } from 'vitest'
import type { FleetEvent } from '../../../ports/declared-pools.ts'
import { createEventLog } from './event-log.ts'

const minuteMs = 60_000

function event(name: string, at: number, over: Partial<FleetEvent> = {}): FleetEvent {
  const about = { kind: 'pool', name } as const
  return { about, type: 'Warning', reason: 'ImagePull', message: `at ${at}`, at, ...over }
}

describe('the log of Events', () => {
  it('counts repeats about the same object in one entry, and writes it at most every ten seconds', () => {
    const log = createEventLog()
    log.add(event('a', 0))
    log.add(event('a', 1))
    const entry = log.next(1)
    expect(entry).toMatchObject({ count: 2, firstAt: 0, lastAt: 1, message: 'at 1' })
    if (entry === null) return
    log.done(entry, 1)
    log.add(event('a', 2))
    expect([log.next(2), log.nextAt(2)]).toEqual([null, 10_001])
    expect(log.next(10_001)).toBe(entry)
    expect(entry.count).toBe(3)
  })

  it('keeps entries apart by object and reason, and begins a new one after ten minutes', () => {
    const log = createEventLog()
    const first = addAndWrite(log, event('a', 0))
    expect(addAndWrite(log, event('b', 0))).not.toBe(first)
    expect(addAndWrite(log, event('a', 0, { reason: 'QuotaExceeded' }))).not.toBe(first)
    expect(addAndWrite(log, event('a', 9 * minuteMs))).toBe(first)
    expect(addAndWrite(log, event('a', 10 * minuteMs + 10_000))).toMatchObject({ count: 1 })
  })

  it('writes no more than sixty in a minute, and the rest after it', () => {
    const log = createEventLog()
    for (let n = 0; n < 100; n += 1) log.add(event(`pool-${n}`, 0))
    expect(writtenAt(log, 1)).toBe(60)
    expect(log.nextAt(1)).toBe(minuteMs + 1)
    expect(writtenAt(log, minuteMs + 1)).toBe(40)
    expect(log.nextAt(minuteMs + 1)).toBeNull()
  })

  it('is bounded, and forgets entries that are written and old', () => {
    const log = createEventLog()
    const added = Array.from({ length: 1_100 }, (_, n) => log.add(event(`pool-${n}`, 0)))
    expect(added.filter(Boolean)).toHaveLength(1_000)
    for (let minute = 0; log.nextAt(minute * minuteMs) !== null; minute += 1)
      writtenAt(log, minute * minuteMs)
    expect(log.add(event('late', 60 * minuteMs))).toBe(true)
  })
})

type EventLog = ReturnType<typeof createEventLog>

function addAndWrite(log: EventLog, event: FleetEvent) {
  log.add(event)
  const entry = log.next(event.at)
  if (entry !== null) log.done(entry, event.at)
  return entry
}

function writtenAt(log: EventLog, now: number): number {
  let count = 0
  for (let entry = log.next(now); entry !== null; entry = log.next(now)) {
    log.done(entry, now)
    count += 1
  }
  return count
}
