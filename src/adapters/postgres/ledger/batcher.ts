import { setImmediate as nextTurn } from 'node:timers/promises'

export interface Batching<Item, Result> {
  readonly max: number
  /** Two items that must not be in one batch. */
  readonly conflict: (a: Item, b: Item) => boolean
  readonly run: (key: string, items: readonly Item[]) => Promise<readonly Result[]>
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Runs one batch of a key at a time; items that come meanwhile make up the next one. An item that comes alone is
 * run at once, and nothing ever waits for a timer.
 */
export function createBatcher<Item, Result>(
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
      const started = [waiting]
      queues.set(key, started)
      void drain(key, started)
    })

  async function drain(key: string, queue: Waiting<Item, Result>[]): Promise<void> {
    while (queue.length > 0) {
      const batch = takeBatch(queue)
      await runBatch(key, batch)
      // Callers that were served and call again at once belong in the next batch, not in the one after it.
      if (batch.length > 1 || queue.length > 0) await nextTurn()
    }
    queues.delete(key)
  }

  function takeBatch(queue: Waiting<Item, Result>[]): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = []
    const left: Waiting<Item, Result>[] = []
    for (const next of queue) {
      const fits = batch.length < how.max && !batch.some(({ item }) => how.conflict(item, next.item))
      ;(fits ? batch : left).push(next)
    }
    queue.splice(0, queue.length, ...left)
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
