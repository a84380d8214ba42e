import type { Effort } from './effort.ts'
import { Master } from './master.ts'

/** An item as one bin sees it: what one more is worth there, what it needs, and how many there may be. */
export interface PatternItem {
  readonly value: number
  readonly size: readonly number[]
  readonly max: number
}

export interface BestPattern {
  /** How many of each item. */
  readonly counts: readonly number[]
  readonly value: number
  /** No pattern is worth more; above `value` only where the search was cut off. */
  readonly valueMax: number
}

/** Enough for tens of pods of some ten kinds in one bin; where it is not, the bound is that of the fractions. */
const stepsMax = 2_000
/** A step of the search against one of the linear program. */
const stepCost = 20
/** Less than this is the noise of floating point. */
const noise = 1e-9

/**
 * The most valuable content of one bin: depth first, the items that are worth most for what they take ahead, cut where the
 * rest of the bin at its prices cannot bring more.
 */
export function bestPattern(
  free: readonly number[],
  items: readonly PatternItem[],
  effort: Effort,
): BestPattern {
  const left = free.map((amount) => Math.max(0, amount))
  const worthwhile = items
    .map(({ value, size, max }, index) => ({ index, value, size, max: Math.min(max, fits(size, left)) }))
    .filter(({ value, max }) => value > noise && max > 0)
  const prices = resourcePrices(left, worthwhile, effort)
  const priceOf = new Map(worthwhile.map((item) => [item.index, dot(item.size, prices)]))
  const gain = ({ index, value }: Indexed) => value / Math.max(noise, priceOf.get(index) as number)
  const ordered = worthwhile.sort((a, b) => gain(b) - gain(a) || a.index - b.index)
  // The gain of all items from a depth on, beyond the price of their needs.
  const beyond = [0]
  for (const item of [...ordered].reverse())
    beyond.unshift(
      (beyond[0] as number) + item.max * Math.max(0, item.value - (priceOf.get(item.index) as number)),
    )
  const hope = (depth: number): number => (beyond[depth] as number) + dot(left, prices)

  const whole = hope(0)
  const counts = items.map(() => 0)
  let best: { counts: readonly number[]; value: number } = { counts: [...counts], value: 0 }
  let steps = 0
  const take = (size: readonly number[], count: number): void => {
    for (let at = 0; at < left.length; at += 1) left[at] = (left[at] as number) - (size[at] ?? 0) * count
  }
  const visit = (depth: number, value: number): void => {
    if (value > best.value + noise) best = { counts: [...counts], value }
    const item = ordered[depth]
    if (item === undefined || value + hope(depth) <= best.value + noise) return
    const most = Math.min(item.max, fits(item.size, left))
    // The last item takes what is left: less of it is worth less.
    const least = depth === ordered.length - 1 ? most : 0
    for (let count = most; count >= least && steps < stepsMax; count -= 1) {
      steps += 1
      take(item.size, count)
      counts[item.index] = count
      visit(depth + 1, value + count * item.value)
      take(item.size, -count)
    }
    counts[item.index] = 0
  }
  visit(0, 0)
  effort.spend(steps * stepCost)
  return { ...best, valueMax: steps < stepsMax ? best.value : Math.max(whole, best.value) }
}

type Indexed = PatternItem & { readonly index: number }

/** The worth of a unit of each resource of the bin, where items may be cut to fractions. */
function resourcePrices(
  free: readonly number[],
  items: readonly Indexed[],
  effort: Effort,
): readonly number[] {
  const shares = new Master([...free.map(() => 1), ...items.map(({ max }) => max)], effort)
  for (const [own, { size }] of items.entries())
    shares.add([
      ...free.map((amount, at) => ((size[at] ?? 0) > 0 ? (size[at] as number) / Math.max(1, amount) : 0)),
      ...items.map((_, index) => (index === own ? 1 : 0)),
    ])
  const prices = shares.solve((column) => items[column]?.value ?? 0)
  return free.map((amount, at) => Math.max(0, prices[at] as number) / Math.max(1, amount))
}

function fits(size: readonly number[], left: readonly number[]): number {
  let count = Number.POSITIVE_INFINITY
  for (let at = 0; at < size.length; at += 1) {
    const need = size[at] as number
    if (need > 0) count = Math.min(count, Math.floor((left[at] ?? 0) / need))
  }
  return Math.max(0, count)
}

function dot(a: readonly number[], b: readonly number[]): number {
  let total = 0
  for (let at = 0; at < b.length; at += 1) total += (a[at] ?? 0) * (b[at] as number)
  return total
}
