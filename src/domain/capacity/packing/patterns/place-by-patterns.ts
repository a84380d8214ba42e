import { placeBalanced } from '../balanced.ts'
import { isBetter, placeGreedily } from '../greedy.ts'
import { fitting, type Packing, type PackingItem, type Placement, remainingOf, take } from '../packing.ts'
import { type BinClass, binClasses } from './bin-classes.ts'
import type { Effort } from './effort.ts'
import { giveWay } from './give-way.ts'
import { type Pattern, PatternProgram, type Solved } from './program.ts'

export interface PlacedByPatterns extends Placement {
  /** No placement with as many required items has more wanted ones. */
  readonly upperBound: number
}

/** The program's inverse is dense: beyond so many rows it would take seconds. */
const rowsMax = 160
/** A rest is placed by patterns of its own, its rest again, and so on. */
const depthMax = 4

/**
 * Improves a placement by whole patterns of bins, and bounds it. First the most required items, then the most wanted ones
 * among the placements that have them. Null: too many kinds of bins for it.
 */
export function placeByPatterns(
  packing: Packing,
  known: Placement,
  effort: Effort,
  depth = depthMax,
): PlacedByPatterns | null {
  const items = [...packing.required, ...packing.wanted]
  const classes = binClasses(packing)
  if (classes.length + items.length + packing.shared.length > rowsMax) return null
  const program = new PatternProgram(packing, classes, patternsOf(known, classes), effort)
  const requiredCount = packing.required.reduce((total, { count }) => total + count, 0)
  const requiredMost = program.solve('required')
  const isMost = known.required >= Math.min(requiredCount, requiredMost.bound)
  const first = isMost ? known : better(known, rounded(packing, classes, requiredMost, effort, depth))
  program.demand(first.required)
  const solved = program.solve('wanted')
  return { ...better(first, rounded(packing, classes, solved, effort, depth)), upperBound: solved.bound }
}

function better(known: Placement, next: Placement): Placement {
  return isBetter(next, known) ? next : known
}

function patternsOf({ rows }: Placement, classes: readonly BinClass[]): readonly Pattern[] {
  return classes.flatMap(({ bins }, classIndex) =>
    bins.map((bin) => ({ classIndex, counts: rows.map((row) => row[bin] as number) })),
  )
}

/**
 * A whole placement near one in fractions: whole uses of its patterns stay, and the bins that are left are a smaller
 * packing, placed by itself.
 */
function rounded(
  packing: Packing,
  classes: readonly BinClass[],
  { use }: Solved,
  effort: Effort,
  depth: number,
): Placement {
  const items = [...packing.required, ...packing.wanted]
  const left = remainingOf(packing)
  const open = items.map(({ count }) => count)
  const rows = items.map(() => packing.bins.map(() => 0))
  const unused = classes.map(({ bins }) => [...bins])
  for (const { pattern, times } of wholeUses(use)) {
    for (const bin of unused[pattern.classIndex]?.splice(0, times) ?? []) {
      for (const [row, count] of pattern.counts.entries()) {
        const item = items[row] as PackingItem
        const some = Math.min(count, open[row] as number, fitting(item, bin, left))
        take(item, bin, some, left)
        ;(rows[row] as number[])[bin] = some
        open[row] = (open[row] as number) - some
      }
    }
  }
  const rest = restOf(packing, left.shared, open, new Set(unused.flat()))
  const { rows: added } = placed(rest, effort, depth)
  return giveWay(
    packing,
    placementOf(
      packing,
      rows.map((row, at) => row.map((count, bin) => count + (added[at]?.[bin] ?? 0))),
    ),
  )
}

/** Uses without their fractions; where nothing is whole, one use of the largest fraction. */
function wholeUses(use: Solved['use']): Solved['use'] {
  const whole = use.map(({ pattern, times }) => ({ pattern, times: Math.floor(times + 1e-6) }))
  if (whole.some(({ times }) => times > 0)) return whole
  const largest = use.reduce<Solved['use'][number] | null>(
    (most, each) => (each.times > (most?.times ?? 0) ? each : most),
    null,
  )
  return largest === null ? [] : [{ ...largest, times: 1 }]
}

function restOf(
  packing: Packing,
  shared: readonly number[],
  open: readonly number[],
  unused: ReadonlySet<number>,
): Packing {
  const rest = (item: PackingItem, row: number): PackingItem => ({
    ...item,
    count: open[row] as number,
    bins: item.bins.filter((bin) => unused.has(bin)),
  })
  const firstWanted = packing.required.length
  return {
    bins: packing.bins,
    shared,
    required: packing.required.map(rest),
    wanted: packing.wanted.map((item, index) => rest(item, firstWanted + index)),
  }
}

function placed(packing: Packing, effort: Effort, depth: number): Placement {
  const quick = better(placeGreedily(packing), placeBalanced(packing))
  return depth === 0 || effort.isSpent ? quick : (placeByPatterns(packing, quick, effort, depth - 1) ?? quick)
}

function placementOf(packing: Packing, rows: readonly (readonly number[])[]): Placement {
  const total = (part: readonly (readonly number[])[]) => part.flat().reduce((sum, count) => sum + count, 0)
  const firstWanted = packing.required.length
  return { rows, required: total(rows.slice(0, firstWanted)), wanted: total(rows.slice(firstWanted)) }
}
