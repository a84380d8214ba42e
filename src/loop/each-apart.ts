/**
 * Does the work on each item, one after the other. A failure is reported and does not keep the other items from theirs;
 * the first one is thrown at the end, so that the pass is repeated. Once the signal is aborted a failure ends it at once.
 */
export async function eachApart<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
  onFailure: (item: T, error: unknown) => void,
  signal?: AbortSignal,
): Promise<void> {
  const failures: unknown[] = []
  for (const item of items) {
    try {
      await work(item)
    } catch (error) {
      if (signal?.aborted) throw error
      onFailure(item, error)
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
