/** Work side by side, at most so much at once; work that shares a key is done one after the other, in order. */
export interface Lanes {
  /** What is under way and what waits. */
  readonly size: number
  /** Does the work once a lane is free and nothing that was asked for before holds one of its keys. */
  run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T>
}

interface Waiting {
  readonly keys: readonly string[]
  readonly begin: () => void
}

export function createLanes(lanesMax: number): Lanes {
  const held = new Set<string>()
  let waiting: Waiting[] = []
  let active = 0

  /** Begins what can begin, the oldest first; what cannot keeps its keys from what came later. */
  function pump(): void {
    const blocked = new Set(held)
    const left: Waiting[] = []
    for (const one of waiting) {
      const isFree = active < lanesMax && !one.keys.some((key) => blocked.has(key))
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
      const { promise: isMyTurn, resolve: begin } = Promise.withResolvers<void>()
      waiting.push({ keys, begin })
      pump()
      await isMyTurn
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
