/** Bounds what is remembered (I10). */
const rememberedMax = 10_000

/**
 * What failed, in the order in which it last did. It has its turn after all others, so that a few that never succeed
 * cannot use up what every pass may do.
 */
export interface LastInLine {
  /** Those that did not fail first, in their order; then the others, whoever failed longest ago first. */
  order<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[]
  failed(key: string): void
  answered(key: string): void
}

export function createLastInLine(): LastInLine {
  const failures = new Set<string>()
  return {
    order(items, keyOf) {
      const rank = new Map([...failures].map((key, index) => [key, index]))
      const rankOf = (item: (typeof items)[number]) => rank.get(keyOf(item)) ?? -1
      return [...items].sort((a, b) => rankOf(a) - rankOf(b))
    },
    failed(key) {
      failures.delete(key)
      if (failures.size >= rememberedMax) failures.clear()
      failures.add(key)
    },
    answered: (key) => void failures.delete(key),
  }
}
