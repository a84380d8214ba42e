export interface Batching<Item, Result> {
  readonly max: number
  /** How many batches of one key may be on their way together. */
  readonly atOnce: number
  /** Two items that must not be in one batch. */
  readonly conflict: (a: Item, b: Item) => boolean
  readonly run: (key: string, items: readonly Item[]) => Promise<readonly Result[]>
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

interface Queue<Item, Result> {
  readonly waiting: Waiting<Item, Result>[]
  running: number
}

/** Items that come while batches are on their way make up the next one. Nothing waits for a timer. */
export function batched<Item, Result>(
  how: Batching<Item, Result>,
): (key: string, item: Item) => Promise<Result> {
  const queues = new Map<string, Queue<Item, Result>>()

  return (key, item) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(key) ?? { waiting: [], running: 0 }
      queues.set(key, queue)
      queue.waiting.push({ item, resolve, reject })
      if (queue.running < how.atOnce) void drain(key, queue)
    })

  async function drain(key: string, queue: Queue<Item, Result>): Promise<void> {
    queue.running += 1
    while (queue.waiting.length > 0) await runBatch(key, takeBatch(queue.waiting))
    queue.running -= 1
    if (queue.running === 0) queues.delete(key)
  }

  function takeBatch(waiting: Waiting<Item, Result>[]): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = []
    const left: Waiting<Item, Result>[] = []
    for (const next of waiting) {
      const fits = batch.length < how.max && !batch.some(({ item }) => how.conflict(item, next.item))
      ;(fits ? batch : left).push(next)
    }
    waiting.splice(0, waiting.length, ...left)
    return batch
  }

  async function runBatch(key: string, batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const items = batch.map(({ item }) => item)
    try {
      const results = await how.run(key, items)
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as Result)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}
