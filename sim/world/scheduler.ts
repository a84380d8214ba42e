import type { Instant } from '../../src/domain/time.ts'

/** Virtual time: events in order of their time, then of their making. Nothing happens between two events. */
export interface Scheduler {
  now(): Instant
  /** Calls back after a delay of virtual time; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void
  /** Runs events until there is none before `until`, or until `stop` says so. */
  run(until: Instant, afterEach: () => void, stop: () => boolean): Promise<void>
}

interface Event {
  readonly at: Instant
  readonly order: number
  callback: (() => void) | null
}

/** An arbitrary morning, so that times in histories are readable. */
const dawn: Instant = Date.UTC(2026, 0, 1, 3, 0, 0)

export function createScheduler(): Scheduler {
  const heap: Event[] = []
  let now = dawn
  let order = 0

  return {
    now: () => now,
    after(delayMs, callback) {
      const event: Event = { at: now + Math.max(0, delayMs), order: order++, callback }
      push(heap, event)
      return () => {
        event.callback = null
      }
    },
    async run(until, afterEach, stop) {
      while (heap.length > 0 && !stop()) {
        if ((heap[0] as Event).at > until) break
        const event = pop(heap)
        if (event.callback === null) continue
        now = event.at
        event.callback()
        await drained()
        afterEach()
      }
      if (!stop()) now = Math.max(now, until)
    },
  }
}

/** All that follows from an event without waiting for time: no I/O exists here, so one turn drains every promise. */
function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function push(heap: Event[], event: Event): void {
  heap.push(event)
  let child = heap.length - 1
  while (child > 0) {
    const parent = (child - 1) >> 1
    if (!isBefore(heap[child] as Event, heap[parent] as Event)) return
    swap(heap, child, parent)
    child = parent
  }
}

function pop(heap: Event[]): Event {
  const first = heap[0] as Event
  const last = heap.pop() as Event
  if (heap.length === 0) return first
  heap[0] = last
  let parent = 0
  for (;;) {
    const left = 2 * parent + 1
    let least = parent
    for (const child of [left, left + 1]) {
      if (child < heap.length && isBefore(heap[child] as Event, heap[least] as Event)) least = child
    }
    if (least === parent) return first
    swap(heap, parent, least)
    parent = least
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

function swap(heap: Event[], a: number, b: number): void {
  const held = heap[a] as Event
  heap[a] = heap[b] as Event
  heap[b] = held
}
