/**
 * Works on keys in the background, a bounded number at a time. A key that waits or is worked on is not added twice, as in
 * client-go's work queue.
 */
export interface WorkerPool {
  has(key: string): boolean
  /** The work must not fail: its caller is gone by then. */
  add(key: string, work: () => Promise<void>): void
  /** How many keys wait or are worked on. */
  size(): number
  /** Drops the keys that wait; resolves when the work under way is done. */
  shutDown(): Promise<void>
}

export function createWorkerPool(workersMax: number): WorkerPool {
  const waiting = new Map<string, () => Promise<void>>()
  const working = new Map<string, Promise<void>>()

  function pump(): void {
    for (const [key, work] of waiting) {
      if (working.size >= workersMax) return
      waiting.delete(key)
      const task = work().finally(() => {
        working.delete(key)
        pump()
      })
      working.set(key, task)
    }
  }

  return {
    has: (key) => waiting.has(key) || working.has(key),
    add(key, work) {
      if (waiting.has(key) || working.has(key)) return
      waiting.set(key, work)
      pump()
    },
    size: () => waiting.size + working.size,
    async shutDown() {
      waiting.clear()
      await Promise.all(working.values())
    },
  }
}
