import { fitting, type Packing, type PackingItem, type Placement, remainingOf, take } from './packing.ts'

/** Each item is placed in so many parts, in turn with the others: enough to mix them, and few enough to be quick. */
const partsMax = 24

/**
 * A placement that mixes items in each bin, so that no resource of it runs out while another lies idle: the next part goes
 * to the bin whose free resources are most like what the item needs.
 */
export function placeBalanced(packing: Packing): Placement {
  const left = remainingOf(packing)
  const totals = (packing.bins[0] ?? []).map((_, at) =>
    Math.max(
      1,
      sumOf(packing.bins, (free) => free[at] ?? 0),
    ),
  )
  const rows = [...packing.required, ...packing.wanted].map(() => packing.bins.map(() => 0))
  const put = (items: readonly PackingItem[], firstRow: number): number => {
    const open = items.map(({ count }) => count)
    let placed = 0
    for (let part = 0; part < partsMax; part += 1) {
      for (const [index, item] of items.entries()) {
        const row = rows[firstRow + index] as number[]
        const isLast = part === partsMax - 1
        let due = isLast
          ? (open[index] as number)
          : Math.min(open[index] as number, Math.ceil(item.count / partsMax))
        while (due > 0) {
          const bin = likest(item, left.bins, totals)
          if (bin === null) break
          // Never a bin to its end at once: the next part may find a better one.
          const fits = fitting(item, bin, left)
          if (fits === 0) break
          const count = Math.min(due, Math.max(1, Math.floor(fits / 2)))
          take(item, bin, count, left)
          row[bin] = (row[bin] as number) + count
          open[index] = (open[index] as number) - count
          due -= count
          placed += count
        }
      }
    }
    return placed
  }
  const required = put(packing.required, 0)
  const wanted = put(packing.wanted, packing.required.length)
  return { rows, required, wanted }
}

/** The bin with room whose free resources point most in the direction of the item's needs; null: it fits nowhere. */
function likest(
  item: PackingItem,
  bins: readonly (readonly number[])[],
  totals: readonly number[],
): number | null {
  let best: number | null = null
  let bestLikeness = Number.NEGATIVE_INFINITY
  for (const bin of item.bins) {
    const free = bins[bin] as readonly number[]
    let dot = 0
    let length = 0
    let hasRoom = true
    for (const [at, need] of item.size.entries()) {
      const own = free[at] as number
      if (need > 0 && own < need) {
        hasRoom = false
        break
      }
      const share = own / (totals[at] as number)
      dot += share * (need / (totals[at] as number))
      length += share * share
    }
    const likeness = length === 0 ? 0 : dot / Math.sqrt(length)
    if (hasRoom && likeness > bestLikeness) {
      best = bin
      bestLikeness = likeness
    }
  }
  return best
}

function sumOf<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0)
}
