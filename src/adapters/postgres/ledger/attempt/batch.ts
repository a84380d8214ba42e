export interface Batching<Item, Result> {
  readonly max: number
  /** Two items of which one must wait for the other's result. */
  readonly isSame: (a: Item, b: Item) => boolean
  readonly run: (key: string, items: readonly Item[]) => Promise<readonly Result[]>
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** Runs one batch of a key at a time; items that come meanwhile make up the next one. Nothing waits for a timer. */
export function batched<Item, Result>(
  how: Batching<Item, Result>,
): (key: string, item: Item) => Promise<Result> {
  const queues = new Map<string, Waiting<Item, Result>[]>()

  return (key, item) =>
    new Promise((resolve, reject) => {
      const waiting = { item, resolve, reject }
      const queue = queues.get(key)
      if (queue !== undefined) {
        queue.push(waiting)
        return
      }
      queues.set(key, [waiting])
      void drain(key)
    })

  async function drain(key: string): Promise<void> {
    const queue = queues.get(key) ?? []
    while (queue.length > 0) await runBatch(key, takeBatch(queue))
    queues.delete(key)
  }

  function takeBatch(queue: Waiting<Item, Result>[]): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = []
    for (const waiting of queue) {
      if (batch.length === how.max) break
      if (!batch.some(({ item }) => how.isSame(item, waiting.item))) batch.push(waiting)
    }
    queue.splice(0, queue.length, ...queue.filter((waiting) => !batch.includes(waiting)))
    return batch
  }

  async function runBatch(key: string, batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await how.run(
        key,
        batch.map(({ item }) => item),
      )
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as Result)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}
