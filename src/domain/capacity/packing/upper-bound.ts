import { fitting, type Packing, type PackingItem, remainingOf } from './packing.ts'

/**
 * More wanted slots than this cannot be placed together with so many required items, however they are spread. The least
 * of several relaxations: each item alone; each bin by the smallest needs in it; each resource, each pair of resources at
 * several prices, and each shared limit as one sum, less the least that the required items take of it.
 */
export function upperBound(packing: Packing, requiredPlaced: number): number {
  const { wanted, required } = packing
  const reached = new Set(wanted.flatMap(({ bins }) => bins))
  const confined = required.filter(({ bins }) => bins.every((bin) => reached.has(bin)))
  const elsewhere = sumOf(required, ({ count }) => count) - sumOf(confined, ({ count }) => count)
  // At least so many of the required items are in bins that wanted ones can reach.
  const inside = Math.max(0, requiredPlaced - elsewhere)
  const alone = wanted.map((item) => fittingAlone(packing, item))
  const least = (need: (item: PackingItem) => number) => leastUse(confined, need, inside)
  const most = (need: (item: PackingItem) => number, free: number) =>
    cheapest(
      wanted.map((item, at) => ({ need: need(item), count: alone[at] as number })),
      free - least(need),
    )
  return Math.max(
    0,
    Math.min(
      sumOf(alone, (count) => count),
      byBins(packing, reached, wanted),
      byBins(packing, reached, [...wanted, ...required]) - inside,
      ...pricesOf(packing, reached).map((prices) =>
        most(
          ({ size }) => priced(size, prices),
          priced(
            prices.map((_, resource) => freeIn(packing, reached, resource)),
            prices,
          ),
        ),
      ),
      ...packing.shared.map((free, at) => most(({ shares }) => shares[at] ?? 0, free)),
    ),
  )
}

function fittingAlone(packing: Packing, item: PackingItem): number {
  const empty = remainingOf(packing)
  let fits = 0
  for (const bin of item.bins) {
    fits += fitting(item, bin, empty)
    if (fits >= item.count) return item.count
  }
  return fits
}

/** In each bin no more of these items than their smallest need of some resource allows. */
function byBins({ bins }: Packing, reached: ReadonlySet<number>, items: readonly PackingItem[]): number {
  const smallest = new Map<number, number[]>()
  for (const { bins: allowed, size } of items) {
    for (const bin of allowed) {
      const known = smallest.get(bin)
      smallest.set(
        bin,
        known === undefined ? [...size] : known.map((need, at) => Math.min(need, size[at] ?? 0)),
      )
    }
  }
  let total = 0
  for (const bin of reached) {
    let fits = Number.POSITIVE_INFINITY
    for (const [at, need] of (smallest.get(bin) ?? []).entries())
      if (need > 0) fits = Math.min(fits, Math.floor(Math.max(0, bins[bin]?.[at] ?? 0) / need))
    total += fits
  }
  return total
}

function freeIn({ bins }: Packing, reached: ReadonlySet<number>, resource: number): number {
  let free = 0
  for (const bin of reached) free += Math.max(0, bins[bin]?.[resource] ?? 0)
  return free
}

/** The least that so many of these items need, whichever they are. */
function leastUse(items: readonly PackingItem[], need: (item: PackingItem) => number, count: number): number {
  let open = count
  let use = 0
  for (const item of [...items].sort((a, b) => need(a) - need(b))) {
    const some = Math.min(open, item.count)
    use += some * need(item)
    open -= some
  }
  return use
}

/** Prices are fractions: a bound may be too high by this, never too low. */
const roundingSlack = 1e-9

/** How many can be had for an amount, the cheapest first. */
function cheapest(
  kinds: readonly { readonly need: number; readonly count: number }[],
  amount: number,
): number {
  let left = Math.max(0, amount)
  let total = 0
  for (const { need, count } of [...kinds].sort((a, b) => a.need - b.need)) {
    const had = need === 0 ? count : Math.min(count, Math.floor(left / need + roundingSlack))
    total += had
    left -= had * need
    if (had < count) break
  }
  return total
}

/** How two resources may be weighed against each other. */
const weightsOfPair = [
  [1, 1],
  [1, 2],
  [2, 1],
  [1, 4],
  [4, 1],
] as const

/** Prices of the resources, each giving a valid sum: one resource alone, and pairs by what there is of each. */
function pricesOf(packing: Packing, reached: ReadonlySet<number>): readonly (readonly number[])[] {
  const resources = indexesOf(packing.bins[0])
  const unit = resources.map((resource) => 1 / Math.max(1, freeIn(packing, reached, resource)))
  const single = resources.map((own) => resources.map((each) => (each === own ? 1 : 0)))
  const pairs = resources.flatMap((a) =>
    resources
      .filter((b) => b > a)
      .flatMap((b) =>
        weightsOfPair.map(([weightA, weightB]) =>
          resources.map((each) => (each === a ? weightA : each === b ? weightB : 0) * (unit[each] as number)),
        ),
      ),
  )
  return [...single, ...pairs]
}

function priced(amounts: readonly number[], prices: readonly number[]): number {
  return amounts.reduce((sum, amount, at) => sum + amount * (prices[at] as number), 0)
}

function indexesOf(list: readonly unknown[] | undefined): number[] {
  return (list ?? []).map((_, at) => at)
}

function sumOf<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0)
}
