import type { Instant } from '../domain/time.ts'

/**
 * Keys and when each is due; client-go's counterpart is the heap of its delaying queue. Ten thousand waiting keys cost
 * nothing while others come and go.
 */
export interface DelayQueue {
  /** Makes the name due at this time, unless it is due sooner already. */
  add(name: string, at: Instant): void
  /** Makes the name due at this time, even where it was due sooner. */
  move(name: string, at: Instant): void
  delete(name: string): void
  /** Removes and returns the names that are due, at most `atMost`, the longest due first. */
  take(now: Instant, atMost: number): string[]
  /** When the first name is due; null where the queue is empty. */
  nextAt(): Instant | null
  /** Makes all names due at this time. */
  moveAll(at: Instant): void
}

interface Entry {
  readonly name: string
  readonly at: Instant
  readonly place: number
}

/** Outdated entries are dropped once there are more of them than of current ones, and this many. */
const spareEntriesMax = 64

/** A heap whose entries count only while the table has the same entry: a name that is moved leaves its old entry behind. */
export function createDelayQueue(): DelayQueue {
  const current = new Map<string, Entry>()
  let heap: Entry[] = []
  let places = 0

  function put(name: string, at: Instant): void {
    places += 1
    const entry = { name, at, place: places }
    current.set(name, entry)
    if (heap.length > 2 * current.size + spareEntriesMax) rebuild()
    else rise(heap, entry)
  }

  function rebuild(): void {
    heap = [...current.values()].sort((a, b) => (isBefore(a, b) ? -1 : 1)) // a sorted list is a heap
  }

  /** The first current entry; outdated entries before it are dropped. */
  function first(): Entry | undefined {
    for (let top = heap[0]; top !== undefined; top = heap[0]) {
      if (current.get(top.name) === top) return top
      sink(heap)
    }
    return undefined
  }

  return {
    add(name, at) {
      const before = current.get(name)
      if (before === undefined || at < before.at) put(name, at)
    },
    move: put,
    delete: (name) => void current.delete(name),
    take(now, atMost) {
      const due: string[] = []
      for (let top = first(); top !== undefined && top.at <= now; top = first()) {
        if (due.length === atMost) break
        sink(heap)
        current.delete(top.name)
        due.push(top.name)
      }
      return due
    },
    nextAt: () => first()?.at ?? null,
    moveAll(at) {
      for (const { name, place } of [...current.values()]) current.set(name, { name, at, place })
      rebuild()
    },
  }
}

/** Names that are due together come in order of arrival. */
function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.place < b.place)
}

function rise(heap: Entry[], entry: Entry): void {
  let at = heap.length
  while (at > 0) {
    const above = (at - 1) >> 1
    const parent = heap[above] as Entry
    if (!isBefore(entry, parent)) break
    heap[at] = parent
    at = above
  }
  heap[at] = entry
}

/** Removes the first entry. */
function sink(heap: Entry[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let at = 0
  for (;;) {
    const left = 2 * at + 1
    const child =
      left + 1 < heap.length && isBefore(heap[left + 1] as Entry, heap[left] as Entry) ? left + 1 : left
    if (child >= heap.length || !isBefore(heap[child] as Entry, last)) break
    heap[at] = heap[child] as Entry
    at = child
  }
  heap[at] = last
}
