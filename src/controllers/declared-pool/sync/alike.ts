import type { Pool } from '../../../domain/pool/index.ts'

/** Whether two lists hold the same pools, in any order; also after one of them was stored and read back. */
export function arePoolsAlike(some: readonly Pool[], others: readonly Pool[]): boolean {
  return some.length === others.length && listed(some) === listed(others)
}

function listed(pools: readonly Pool[]): string {
  const byName = [...pools].sort((a, b) => (a.name < b.name ? -1 : 1))
  return JSON.stringify(byName.map(inOrder))
}

/** A database may return the keys of an object in another order, and omits undefined values. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, field]) => [key, inOrder(field)]))
}
