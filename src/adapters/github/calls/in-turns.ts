/** How many questions are open at the same time. */
const AT_ONCE_MAX = 4

/** Works on a list, a few items at a time; the first failure fails all. */
export async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += AT_ONCE_MAX) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE_MAX).map(work))))
  }
  return results
}
