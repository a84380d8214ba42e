import { isBetter } from './greedy.ts'
import { fitting, type Packing, type PackingItem, type Placement, remainingOf, take } from './packing.ts'

/** A choice: how many of one item go into one bin. */
interface Choice {
  readonly row: number
  readonly bin: number
  readonly item: PackingItem
}

export interface Searched {
  readonly best: Placement
  /** Whether every placement was looked at or excluded: then none is better. */
  readonly isExhausted: boolean
}

/**
 * Looks for a better placement than a known one, depth first, the fullest bins ahead; branches that cannot win are left
 * out. Ends after so many steps, whatever is left.
 */
export function searchBetter(packing: Packing, known: Placement, stepsMax: number): Searched {
  const items = [...packing.required, ...packing.wanted]
  const choices: Choice[] = items.flatMap((item, row) => item.bins.map((bin) => ({ row, bin, item })))
  const left = remainingOf(packing)
  const open = items.map(({ count }) => count)
  const rows = items.map(() => packing.bins.map(() => 0))
  const requiredRows = packing.required.length
  let best = known
  let steps = 0
  let required = 0
  let wanted = 0

  /** The most that the choices from here on could add, if each had its bin for itself. */
  const hopeFrom = (depth: number): { required: number; wanted: number } => {
    const hope = { required: 0, wanted: 0 }
    const most = items.map(() => 0)
    for (const { row, bin, item } of choices.slice(depth))
      most[row] = Math.min(open[row] as number, (most[row] as number) + fitting(item, bin, left))
    for (const [row, count] of most.entries()) {
      if (row < requiredRows) hope.required += count
      else hope.wanted += count
    }
    return hope
  }

  const visit = (depth: number): boolean => {
    if (++steps > stepsMax) return false
    const reached = { rows, required, wanted }
    if (isBetter(reached, best)) best = { ...reached, rows: rows.map((row) => [...row]) }
    const choice = choices[depth]
    if (choice === undefined) return true
    const hope = hopeFrom(depth)
    if (!isBetter({ rows, required: required + hope.required, wanted: wanted + hope.wanted }, best))
      return true
    const { row, bin, item } = choice
    const isRequired = row < requiredRows
    const most = Math.min(open[row] as number, fitting(item, bin, left))
    for (let count = most; count >= 0; count -= 1) {
      move(count)
      const isDone = visit(depth + 1)
      move(-count)
      if (!isDone) return false
    }
    return true

    function move(count: number): void {
      take(item, bin, count, left)
      const cells = rows[row] as number[]
      cells[bin] = (cells[bin] as number) + count
      open[row] = (open[row] as number) - count
      if (isRequired) required += count
      else wanted += count
    }
  }
  return { isExhausted: visit(0), best }
}
