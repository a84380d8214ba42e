/** Bounds the keys that are remembered (I10). */
const demotedMax = 10_000

/**
 * Keys whose last try failed, demoted to the end of the queue: a few that never succeed cannot use up the items that
 * every pass may try.
 */
export interface DemotedKeys {
  /** Items that are not demoted first, in their order; then the demoted ones, the longest demoted first. */
  order<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[]
  demote(key: string): void
  restore(key: string): void
}

export function createDemotedKeys(): DemotedKeys {
  const demoted = new Set<string>()
  return {
    order(items, keyOf) {
      const rank = new Map([...demoted].map((key, index) => [key, index]))
      const rankOf = (item: (typeof items)[number]) => rank.get(keyOf(item)) ?? -1
      return [...items].sort((a, b) => rankOf(a) - rankOf(b))
    },
    demote(key) {
      demoted.delete(key)
      if (demoted.size >= demotedMax) demoted.clear()
      demoted.add(key)
    },
    restore: (key) => void demoted.delete(key),
  }
}
