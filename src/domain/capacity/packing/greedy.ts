import { fitting, type Packing, type PackingItem, type Placement, remainingOf, take } from './packing.ts'

/** In which order the bins of an item are filled. */
type BinOrder = (item: PackingItem, bins: readonly number[]) => readonly number[]

/**
 * A good placement in one pass for each order of bins: required items first, the least movable of them ahead; wanted ones
 * then, the smallest ahead. Of several placements the best.
 */
export function placeGreedily(packing: Packing): Placement {
  const contested = new Map<number, number>()
  for (const { bins } of packing.wanted)
    for (const bin of bins) contested.set(bin, (contested.get(bin) ?? 0) + 1)
  const awayFromWanted: BinOrder = (_item, bins) => sortedBy(bins, (bin) => contested.get(bin) ?? 0)
  const fewestLeftOver: BinOrder = (item, bins) => sortedBy(bins, (bin) => leftOver(packing, item, bin))
  const both: BinOrder = (item, bins) => awayFromWanted(item, fewestLeftOver(item, bins))
  return [awayFromWanted, fewestLeftOver, both]
    .map((order) => place(packing, order))
    .reduce((best, next) => (isBetter(next, best) ? next : best))
}

/** Each weight is computed once: there are as many bins as nodes. */
function sortedBy(bins: readonly number[], weightOf: (bin: number) => number): readonly number[] {
  const weighed = bins.map((bin) => ({ bin, weight: weightOf(bin) }))
  return weighed.sort((a, b) => a.weight - b.weight).map(({ bin }) => bin)
}

/** More of the load of others first, then more wanted slots. */
export function isBetter(a: Placement, b: Placement): boolean {
  return a.required > b.required || (a.required === b.required && a.wanted > b.wanted)
}

function place(packing: Packing, order: BinOrder): Placement {
  const left = remainingOf(packing)
  const rows = [...packing.required, ...packing.wanted].map(() => packing.bins.map(() => 0))
  const put = (items: readonly PackingItem[], firstRow: number, sorted: readonly number[]): number => {
    let placed = 0
    for (const index of sorted) {
      const item = items[index] as PackingItem
      const row = rows[firstRow + index] as number[]
      let open = item.count
      for (const bin of order(item, item.bins)) {
        if (open === 0) break
        const count = Math.min(open, fitting(item, bin, left))
        take(item, bin, count, left)
        row[bin] = (row[bin] as number) + count
        open -= count
        placed += count
      }
    }
    return placed
  }
  const required = put(packing.required, 0, leastMovableFirst(packing.required, packing))
  const wanted = put(packing.wanted, packing.required.length, smallestFirst(packing.wanted, packing))
  return { rows, required, wanted }
}

function leastMovableFirst(items: readonly PackingItem[], packing: Packing): readonly number[] {
  const share = items.map((item) => dominantShare(item, packing))
  return indexes(items).sort(
    (a, b) =>
      (items[a] as PackingItem).bins.length - (items[b] as PackingItem).bins.length ||
      (share[b] as number) - (share[a] as number),
  )
}

function smallestFirst(items: readonly PackingItem[], packing: Packing): readonly number[] {
  const share = items.map((item) => dominantShare(item, packing))
  return indexes(items).sort((a, b) => (share[a] as number) - (share[b] as number))
}

function indexes(items: readonly unknown[]): number[] {
  return items.map((_, index) => index)
}

/** The largest part of any resource that one pod takes of all its bins. */
function dominantShare({ size, bins }: PackingItem, packing: Packing): number {
  let largest = 0
  for (const [at, need] of size.entries()) {
    let free = 0
    for (const bin of bins) free += packing.bins[bin]?.[at] ?? 0
    if (need > 0) largest = Math.max(largest, free > 0 ? need / free : 1)
  }
  return largest
}

/** The part of the bin that stays unused when it is filled with this item alone. */
function leftOver({ bins }: Packing, { size }: PackingItem, bin: number): number {
  const free = bins[bin] ?? []
  let fits = Number.POSITIVE_INFINITY
  for (const [at, need] of size.entries()) if (need > 0) fits = Math.min(fits, (free[at] ?? 0) / need)
  return Number.isFinite(fits) ? fits - Math.floor(fits) : 0
}
