/**
 * Does the work on each item, one after the other. One that fails is told of and keeps none of the others from theirs;
 * the first failure is thrown after all had their turn, so that the pass is repeated. Where everything ends, it ends at once.
 */
export async function eachApart<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
  failed: (item: T, error: unknown) => void,
  signal?: AbortSignal,
): Promise<void> {
  const failures: unknown[] = []
  for (const item of items) {
    try {
      await work(item)
    } catch (error) {
      if (signal?.aborted) throw error
      failed(item, error)
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
