/**
 * Works on all items, at most so many at a time; client-go's counterpart is `workqueue.ParallelizeUntil`. A worker whose
 * item fails takes no further one, and the first failure is thrown when the other workers are done. Once the signal
 * is aborted no item is begun.
 */
export async function eachBounded<T>(
  items: readonly T[],
  workersMax: number,
  work: (item: T) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) {
      if (signal?.aborted) return
      await work(item)
    }
  }
  const workers = Array.from({ length: Math.min(workersMax, items.length) }, worker)
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
