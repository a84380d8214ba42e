/**
 * Work in parallel, at most so much at a time; work that shares a key is done one after the other, in order of arrival.
 * client-go's work queue has one key for each item; here work may need several, such as a runner and its job.
 */
export interface KeyedExecutor {
  /** How much work is active or waits. */
  readonly size: number
  /** Does the work once a worker is free and no earlier work holds or waits for one of its keys. */
  run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T>
}

interface Waiting {
  readonly keys: readonly string[]
  readonly begin: () => void
}

export function createKeyedExecutor(workersMax: number): KeyedExecutor {
  const held = new Set<string>()
  let waiting: Waiting[] = []
  let active = 0

  /** Begins the work that can begin, the oldest first; work that must wait keeps its keys from later work. */
  function pump(): void {
    const blocked = new Set(held)
    const left: Waiting[] = []
    for (const one of waiting) {
      const isFree = active < workersMax && !one.keys.some((key) => blocked.has(key))
      for (const key of one.keys) blocked.add(key)
      if (!isFree) {
        left.push(one)
        continue
      }
      active += 1
      for (const key of one.keys) held.add(key)
      one.begin()
    }
    waiting = left
  }

  return {
    get size() {
      return active + waiting.length
    },
    async run(keys, work) {
      const { promise: isBegun, resolve: begin } = Promise.withResolvers<void>()
      waiting.push({ keys, begin })
      pump()
      await isBegun
      try {
        return await work()
      } finally {
        active -= 1
        for (const key of keys) held.delete(key)
        pump()
      }
    },
  }
}
