import type { Packing, PackingItem } from './packing.ts'

/**
 * The packing without the load that cannot matter: items that share neither a bin nor a limit with a wanted one, directly
 * or through others. Fleets of many zones fall into small problems.
 */
export function competingPart(packing: Packing): Packing {
  const bins = new Set<number>()
  const limits = new Set<number>()
  const include = (item: PackingItem): void => {
    for (const bin of item.bins) bins.add(bin)
    for (const [at, need] of item.shares.entries()) if (need > 0) limits.add(at)
  }
  const competes = (item: PackingItem): boolean =>
    item.bins.some((bin) => bins.has(bin)) || item.shares.some((need, at) => need > 0 && limits.has(at))
  for (const item of packing.wanted) include(item)
  const competing = new Set<PackingItem>()
  for (let before = -1; before < competing.size; ) {
    before = competing.size
    for (const item of packing.required) {
      if (competing.has(item) || !competes(item)) continue
      competing.add(item)
      include(item)
    }
  }
  return { ...packing, required: packing.required.filter((item) => competing.has(item)) }
}
