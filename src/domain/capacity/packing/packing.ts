/** A kind of pod: all of its pods are alike. Amounts are whole numbers (millicores, bytes, pieces), so that sums are exact. */
export interface PackingItem {
  /** Needs by resource, in the order of the bins' resources. */
  readonly size: readonly number[]
  /** How many may be placed at most. */
  readonly count: number
  /** Bins that it may be placed in. */
  readonly bins: readonly number[]
  /** Needs of each shared limit, in their order. */
  readonly shares: readonly number[]
}

/** Nodes as bins with what is free in them; quotas and storage as limits that all bins share. */
export interface Packing {
  readonly bins: readonly (readonly number[])[]
  readonly shared: readonly number[]
  /** Placed first, as many as fit: the load of others. */
  readonly required: readonly PackingItem[]
  /** Placed then: the slots that are counted. */
  readonly wanted: readonly PackingItem[]
}

/** One placement. Rows are items (required, then wanted), columns are bins. */
export interface Placement {
  readonly rows: readonly (readonly number[])[]
  readonly required: number
  readonly wanted: number
}

/** The rest of a packing while items are placed in it. */
export interface Remaining {
  readonly bins: number[][]
  readonly shared: number[]
}

export function remainingOf({ bins, shared }: Packing): Remaining {
  return { bins: bins.map((free) => [...free]), shared: [...shared] }
}

/** How many more of an item fit into one bin. */
export function fitting(item: PackingItem, bin: number, { bins, shared }: Remaining): number {
  return Math.min(quotient(bins[bin] ?? [], item.size), quotient(shared, item.shares))
}

/** Takes (or with a negative count gives back) the room of so many. */
export function take(item: PackingItem, bin: number, count: number, { bins, shared }: Remaining): void {
  const free = bins[bin] as number[]
  for (const [at, need] of item.size.entries()) free[at] = (free[at] as number) - need * count
  for (const [at, need] of item.shares.entries()) shared[at] = (shared[at] as number) - need * count
}

/** How often the needs go into what is free; a need of nothing never limits. */
function quotient(free: readonly number[], needs: readonly number[]): number {
  let fits = Number.POSITIVE_INFINITY
  for (const [at, need] of needs.entries()) {
    if (need > 0) fits = Math.min(fits, Math.floor((free[at] ?? 0) / need))
  }
  return Math.max(0, fits)
}
