import { fitting, type Packing, type PackingItem, type Placement, remainingOf, take } from '../packing.ts'

/**
 * Makes wanted items give way to required ones that found no place: one of these after the other goes to the bin in which
 * the fewest wanted ones must leave. What fits afterwards is placed again.
 */
export function giveWay(packing: Packing, { rows }: Placement): Placement {
  const items = [...packing.required, ...packing.wanted]
  const firstWanted = packing.required.length
  const next = rows.map((row) => [...row])
  const left = remainingOf(packing)
  const open = items.map((item, row) => {
    for (const [bin, count] of (next[row] as number[]).entries()) if (count > 0) take(item, bin, count, left)
    return item.count - sum(next[row] as number[])
  })
  const put = (row: number, bin: number, count: number): void => {
    take(items[row] as PackingItem, bin, count, left)
    const cells = next[row] as number[]
    cells[bin] = (cells[bin] as number) + count
    open[row] = (open[row] as number) - count
  }
  const fill = (from: number, to: number): void => {
    for (const [index, item] of items.slice(from, to).entries())
      for (const bin of item.bins) {
        const row = from + index
        const count = Math.min(open[row] as number, fitting(item, bin, left))
        if (count > 0) put(row, bin, count)
      }
  }
  /** Takes wanted items out of a bin until the item fits; how many, or null where it does not fit without any of them. */
  const clear = (item: PackingItem, bin: number): readonly number[] | null => {
    const cleared: number[] = []
    for (let row = firstWanted; row < items.length; row += 1)
      while (fitting(item, bin, left) === 0 && ((next[row] as number[])[bin] as number) > 0) {
        put(row, bin, -1)
        cleared.push(row)
      }
    if (fitting(item, bin, left) > 0) return cleared
    for (const row of cleared) put(row, bin, 1)
    return null
  }
  fill(0, firstWanted)
  for (const [row, item] of packing.required.entries()) {
    while ((open[row] as number) > 0) {
      let cheapest: { readonly bin: number; readonly cost: number } | null = null
      for (const bin of item.bins) {
        const cleared = clear(item, bin)
        for (const each of cleared ?? []) put(each, bin, 1)
        if (cleared !== null && cleared.length < (cheapest?.cost ?? Number.POSITIVE_INFINITY))
          cheapest = { bin, cost: cleared.length }
      }
      if (cheapest === null) break
      clear(item, cheapest.bin)
      put(row, cheapest.bin, 1)
    }
  }
  fill(firstWanted, items.length)
  const total = (part: readonly (readonly number[])[]) => sum(part.map(sum))
  return { rows: next, required: total(next.slice(0, firstWanted)), wanted: total(next.slice(firstWanted)) }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
