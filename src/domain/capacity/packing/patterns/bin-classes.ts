import type { Packing, PackingItem } from '../packing.ts'

/** Bins that are alike: as much can be used of them, and the same items may be placed there. */
export interface BinClass {
  readonly free: readonly number[]
  readonly bins: readonly number[]
  /** Rows of the items that may be placed here. */
  readonly rows: readonly number[]
}

/**
 * Groups bins that are alike: a fleet of many nodes has few kinds of them. What is free beyond a multiple of all needs
 * cannot be used, so nodes that differ by less are alike too. Bins that take nothing are left out.
 */
export function binClasses({ bins, required, wanted }: Packing): readonly BinClass[] {
  const items = [...required, ...wanted]
  const rowsOf: number[][] = bins.map(() => [])
  for (const [row, item] of items.entries())
    if (item.count > 0) for (const bin of item.bins) rowsOf[bin]?.push(row)
  const open = [...bins.keys()].filter((bin) => (rowsOf[bin] as number[]).length > 0)
  const classes: BinClass[] = []
  for (const sameRows of Map.groupBy(open, (bin) => rowsOf[bin]?.join()).values()) {
    const rows = rowsOf[sameRows[0] as number] as number[]
    const units = unitsOf(rows.map((row) => items[row] as PackingItem))
    const usable = (bin: number) =>
      units.map((unit, at) => Math.max(0, Math.floor((bins[bin]?.[at] ?? 0) / unit) * unit))
    for (const alike of Map.groupBy(sameRows, (bin) => usable(bin).join()).values())
      classes.push({ free: usable(alike[0] as number), bins: alike, rows })
  }
  return classes
}

/** By resource, the largest amount of which every need is a multiple; 1 where nothing needs any. */
function unitsOf(items: readonly PackingItem[]): readonly number[] {
  const resources = items[0]?.size.length ?? 0
  return Array.from({ length: resources }, (_, at) =>
    Math.max(
      1,
      items.reduce((unit, { size }) => greatestDivisor(unit, size[at] ?? 0), 0),
    ),
  )
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}
