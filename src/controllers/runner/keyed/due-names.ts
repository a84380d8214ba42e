import type { Instant } from '../../../domain/time.ts'

/** Names and when each is due. Ten thousand that wait cost nothing while others come and go. */
export interface DueNames {
  /** Due at this time, or sooner where it was so already. */
  add(name: string, at: Instant): void
  /** Due at this time, whatever was before. */
  move(name: string, at: Instant): void
  delete(name: string): void
  /** Takes out those that are due, at most so many, the longest due first. */
  take(now: Instant, atMost: number): string[]
  /** When the first is due; null where there is none. */
  nextAt(): Instant | null
  /** All of them are due at this time. */
  moveAll(at: Instant): void
}

interface Entry {
  readonly name: string
  readonly at: Instant
  readonly place: number
}

/** Entries that are none any more are thrown out once there are as many of them as of the others, and some. */
const SPARE_ENTRIES = 64

/** A heap whose entries count only while the table says the same: what is moved leaves its old entry behind. */
export function createDueNames(): DueNames {
  const current = new Map<string, Entry>()
  let heap: Entry[] = []
  let places = 0

  function put(name: string, at: Instant): void {
    places += 1
    const entry = { name, at, place: places }
    current.set(name, entry)
    if (heap.length > 2 * current.size + SPARE_ENTRIES) rebuild()
    else rise(heap, entry)
  }

  function rebuild(): void {
    heap = [...current.values()].sort((a, b) => (isBefore(a, b) ? -1 : 1)) // a sorted list is a heap
  }

  /** The first that counts; those before it that do not are thrown away. */
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
      const taken: string[] = []
      for (let top = first(); top !== undefined && top.at <= now; top = first()) {
        if (taken.length === atMost) break
        sink(heap)
        current.delete(top.name)
        taken.push(top.name)
      }
      return taken
    },
    nextAt: () => first()?.at ?? null,
    moveAll(at) {
      for (const { name, place } of [...current.values()]) current.set(name, { name, at, place })
      rebuild()
    },
  }
}

/** Of those that are due together, who came first. */
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

/** Takes the first out. */
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
