/** Calls to one path of the forge. */
export interface CallCount {
  begun: number
  /** By status; what hung or was cut off has none. */
  readonly answered: Record<string, number>
}

export interface ForgeNumbers {
  /** By `METHOD /path/:id`. */
  readonly calls: Readonly<Record<string, CallCount>>
}

/** Calls that cost something of the budget, and those that were answered with 304 and cost nothing. */
export function sumOf(numbers: ForgeNumbers): { readonly spent: number; readonly free: number } {
  let spent = 0
  let free = 0
  for (const [path, { begun, answered }] of Object.entries(numbers.calls)) {
    const unchanged = path === 'GET /rate_limit' ? begun : (answered['304'] ?? 0)
    spent += begun - unchanged
    free += unchanged
  }
  return { spent, free }
}

/** The increase between two readings. */
export function since(before: ForgeNumbers, after: ForgeNumbers): ForgeNumbers {
  const calls = Object.entries(after.calls).map(([path, { begun, answered }]) => {
    const earlier = before.calls[path]
    const rest = Object.entries(answered).map(([status, n]) => [status, n - (earlier?.answered[status] ?? 0)])
    return [path, { begun: begun - (earlier?.begun ?? 0), answered: Object.fromEntries(rest) }] as const
  })
  return { calls: Object.fromEntries(calls.filter(([, { begun }]) => begun > 0)) }
}
