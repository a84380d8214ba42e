import { amountOf, type LanePacking } from './lane-packing.ts'
import type { Packed, PackingItem } from './packing/index.ts'

/** The constraint that keeps a label from one more slot, and the least that would give it. */
export interface Limiter {
  readonly kind: 'declared-maximum' | 'shared-limit' | 'node' | 'anti-affinity' | 'no-node'
  /** The lane to which the next slot would be closest. */
  readonly lane: string
  /** `honey`, or the quota; null where no place is concerned. */
  readonly place: string | null
  /** Missing amounts by resource; a declared maximum misses one runner, anti-affinity a node. */
  readonly missing: Readonly<Record<string, number>>
}

/**
 * The first constraint that binds, looked for in the order of who could lift it: the declared maximum, quotas and storage,
 * then the node on which the least is missing.
 */
export function limiterOf(lanes: LanePacking, packed: Packed): Limiter | null {
  const { packing, wanted } = lanes
  const firstRow = packing.required.length
  const left = leftAfter(lanes, packed)
  const candidates = packing.wanted.map((item, index) => {
    const lane = wanted[index]?.name ?? ''
    const count = (packed.rows[firstRow + index] ?? []).reduce((sum, each) => sum + each, 0)
    if (count >= item.count)
      return { lane, kind: 'declared-maximum' as const, place: null, missing: { runners: 1 }, weight: 0 }
    return sharedLack(lanes, item, lane, left.shared) ?? nodeLack(lanes, item, lane, left.bins)
  })
  // A lane at its maximum limits the label only where all are: the others may still grow.
  const open = candidates.filter(({ kind }) => kind !== 'declared-maximum')
  const [closest] = (open.length > 0 ? open : candidates).sort((a, b) => a.weight - b.weight)
  if (closest === undefined) return null
  const { weight: _weight, ...limiter } = closest
  return limiter
}

type Weighed = Limiter & { readonly weight: number }

function leftAfter({ packing }: LanePacking, { rows }: Packed) {
  const items = [...packing.required, ...packing.wanted]
  const bins = packing.bins.map((free, bin) =>
    free.map(
      (amount, at) => amount - sumOf(items, (item, row) => (item.size[at] ?? 0) * (rows[row]?.[bin] ?? 0)),
    ),
  )
  const shared = packing.shared.map(
    (amount, at) =>
      amount -
      sumOf(
        items,
        (item, row) => (item.shares[at] ?? 0) * (rows[row] ?? []).reduce((sum, each) => sum + each, 0),
      ),
  )
  return { bins, shared }
}

function sharedLack(
  { limits }: LanePacking,
  item: PackingItem,
  lane: string,
  left: readonly number[],
): Weighed | null {
  for (const [at, need] of item.shares.entries()) {
    const lack = need - (left[at] ?? 0)
    if (lack <= 0 || need === 0) continue
    const name = limits[at]?.name ?? ''
    const resource = name.split(', ')[1] ?? 'bytes'
    const unit = resource.endsWith('cpu') ? 1_000 : 1
    return {
      kind: 'shared-limit',
      lane,
      place: name,
      missing: { [resource]: lack / unit },
      weight: lack / need,
    }
  }
  return null
}

function nodeLack(
  { resources, exclusions, nodes }: LanePacking,
  item: PackingItem,
  lane: string,
  left: readonly (readonly number[])[],
): Weighed {
  const lacks = item.bins.map((bin) => {
    const missing: Record<string, number> = {}
    let weight = 0
    let excludedBy: string | null = null
    for (const [at, need] of item.size.entries()) {
      const lack = need - (left[bin]?.[at] ?? 0)
      if (need === 0 || lack <= 0) continue
      const resource = resources[at] as string
      weight += lack / need
      if (exclusions.has(resource)) excludedBy ??= resource
      else missing[resource] = amountOf(resource, lack)
    }
    if (excludedBy !== null)
      return { kind: 'anti-affinity' as const, lane, place: excludedBy, missing: { nodes: 1 }, weight }
    return { kind: 'node' as const, lane, place: nodes[bin] ?? null, missing, weight }
  })
  const [closest] = lacks.sort((a, b) => a.weight - b.weight)
  return closest ?? { kind: 'no-node', lane, place: null, missing: {}, weight: Number.POSITIVE_INFINITY }
}

function sumOf(items: readonly PackingItem[], amount: (item: PackingItem, row: number) => number): number {
  return items.reduce((total, item, row) => total + amount(item, row), 0)
}
