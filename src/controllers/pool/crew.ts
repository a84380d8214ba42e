/** Works on keys in the background, a bounded number at a time, and each key once while it waits or is worked on. */
export interface Crew {
  has(key: string): boolean
  /** The work must not fail: nobody is there to hear of it. */
  add(key: string, work: () => Promise<void>): void
  /** Those that wait or are worked on. */
  size(): number
  /** Forgets what waits; resolves when what is under way is done. */
  dismiss(): Promise<void>
}

export function createCrew(atATimeMax: number): Crew {
  const waiting = new Map<string, () => Promise<void>>()
  const working = new Map<string, Promise<void>>()

  function pump(): void {
    for (const [key, work] of waiting) {
      if (working.size >= atATimeMax) return
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
    async dismiss() {
      waiting.clear()
      await Promise.all(working.values())
    },
  }
}
