/** The number of requests in flight at the same time. */
const atOnceMax = 4

/** Maps a list, a few items at a time; the first failure fails all. */
export async function mapBounded<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += atOnceMax) {
    results.push(...(await Promise.all(items.slice(at, at + atOnceMax).map(work))))
  }
  return results
}
