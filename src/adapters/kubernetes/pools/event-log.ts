import type { Instant } from '../../../domain/time.ts'
import type { FleetEvent } from '../../../ports/declared-pools.ts'

/** The same about the same object is counted in one Event for so long. */
const countedMs = 10 * 60_000
/** One Event is written again at most so often. */
const repeatMs = 10_000
/** Events that are held at once; more are dropped. */
const entriesMax = 1_000
/** Writes in any minute; what is beyond them waits, and is counted meanwhile. */
const writesPerMinuteMax = 60
const minuteMs = 60_000

export interface EventEntry {
  readonly about: FleetEvent['about']
  readonly type: FleetEvent['type']
  readonly reason: string
  message: string
  count: number
  readonly firstAt: Instant
  lastAt: Instant
  /** How often it had happened when it was last written. */
  written: number
  dueAt: Instant
}

export interface EventLog {
  /** False where it is too much. */
  add(event: FleetEvent): boolean
  /** The Event to write now; null where there is none. */
  next(now: Instant): EventEntry | null
  /** When `next` may give something; null where nothing waits. */
  nextAt(now: Instant): Instant | null
  /** It was written, or could not be. */
  done(entry: EventEntry, now: Instant): void
}

/** Events, counted, each with the time when it may be written. */
export function createEventLog(): EventLog {
  const entries = new Map<string, EventEntry>()
  let writes: Instant[] = []

  function forget(now: Instant): void {
    writes = writes.filter((at) => at > now - minuteMs)
    for (const [key, entry] of entries) {
      if (entry.written === entry.count && entry.firstAt <= now - countedMs) entries.delete(key)
    }
  }

  /** When the next write is within the bound. */
  function mayWriteAt(): Instant {
    const oldest = writes.length < writesPerMinuteMax ? undefined : writes.at(-writesPerMinuteMax)
    return oldest === undefined ? Number.NEGATIVE_INFINITY : oldest + minuteMs
  }

  return {
    add({ about, type, reason, message, at }) {
      const key = JSON.stringify([about.kind, about.name, type, reason])
      const known = entries.get(key)
      if (known !== undefined && (known.firstAt > at - countedMs || known.written < known.count)) {
        known.count += 1
        known.lastAt = Math.max(known.lastAt, at)
        known.message = message
        return true
      }
      if (known === undefined && entries.size >= entriesMax) forget(at)
      if (known === undefined && entries.size >= entriesMax) return false
      const fresh = { about, type, reason, message, count: 1, firstAt: at, lastAt: at, written: 0, dueAt: at }
      entries.set(key, fresh)
      return true
    },
    next(now) {
      forget(now)
      if (mayWriteAt() > now) return null
      for (const entry of entries.values()) {
        if (entry.written < entry.count && entry.dueAt <= now) return entry
      }
      return null
    },
    nextAt(now) {
      forget(now)
      const due = [...entries.values()]
        .filter(({ written, count }) => written < count)
        .map(({ dueAt }) => dueAt)
      return due.length === 0 ? null : Math.max(Math.min(...due), mayWriteAt())
    },
    done(entry, now) {
      entry.written = entry.count
      entry.dueAt = now + repeatMs
      writes.push(now)
    },
  }
}
