import { placeBalanced } from './balanced.ts'
import { isBetter, placeGreedily } from './greedy.ts'
import type { Packing, PackingItem, Placement } from './packing.ts'
import { Effort, placeByPatterns } from './patterns/index.ts'
import { searchBetter } from './search.ts'
import { upperBound } from './upper-bound.ts'

/** A step is about a microsecond for each choice: some 50 ms for the small cases that are searched. */
const stepsMax = 20_000
/** Larger problems are not searched: they would only spend their steps. */
const choicesMax = 40
/** Steps for patterns where nobody says otherwise: some 100 ms. */
const patternStepsMax = 20_000_000

export interface Packed extends Placement {
  /** No placement has more wanted slots; equal to `wanted` where the placement is proven best. */
  readonly upperBound: number
  /** Whether all of the load of others was placed. */
  readonly isRequiredPlaced: boolean
}

/**
 * Places the load of others, then as many wanted slots as it can. Exact where a bound or a whole search proves it, which
 * is so for every problem of a few nodes and for every single lane on any number of nodes; larger ones are placed by
 * patterns of nodes that are alike, within so many steps, and the bound says how many more there could be at most.
 */
export function pack(packing: Packing, patternSteps = patternStepsMax): Packed {
  const requiredCount = packing.required.reduce((total, { count }) => total + count, 0)
  const result = (placement: Placement, upper: number): Packed => ({
    ...placement,
    upperBound: Math.max(upper, placement.wanted),
    isRequiredPlaced: placement.required === requiredCount,
  })
  const isProven = ({ required, wanted }: Placement, upper: number) =>
    required === requiredCount && wanted === upper
  const quick = placeGreedily(packing)
  const quickBound = upperBound(packing, quick.required)
  if (isProven(quick, quickBound)) return result(quick, quickBound)
  const choices = choicesOf([...packing.required, ...packing.wanted])
  const balanced = placeBalanced(packing)
  const placed = isBetter(balanced, quick) ? balanced : quick
  const bound = upperBound(packing, placed.required)
  if (isProven(placed, bound)) return result(placed, bound)
  if (choices > choicesMax) {
    const patterned = placeByPatterns(packing, placed, new Effort(patternSteps))
    return patterned === null ? result(placed, bound) : result(patterned, tighter(packing, patterned))
  }
  const { best, isExhausted } = searchBetter(packing, placed, stepsMax)
  return result(best, isExhausted ? best.wanted : upperBound(packing, best.required))
}

function choicesOf(items: readonly PackingItem[]): number {
  return items.reduce((total, { bins }) => total + bins.length, 0)
}

function tighter(
  packing: Packing,
  { required, upperBound: bound }: Placement & { readonly upperBound: number },
): number {
  return Math.min(bound, upperBound(packing, required))
}
