import type { Effort } from './effort.ts'

/** The need of one unit of a column by row. */
export type Column = readonly number[]

const tolerance = 1e-9
/** Degenerate programs may turn in circles: they end here, and prices of any step give a valid bound. */
const pivotsMax = 2_000

/**
 * A linear program that grows by columns: maximise the costs, each row at most its right-hand side. Revised simplex with a
 * dense inverse, for some hundred rows. It starts with nothing in use, which is feasible where no side is negative.
 */
export class Master {
  readonly #effort: Effort
  readonly #sides: number[]
  readonly #columns: Column[] = []
  /** Column of each basic variable; -1 - row is the slack of a row. */
  readonly #basis: number[]
  readonly #inverse: Float64Array[]
  #values: number[]

  constructor(sides: readonly number[], effort: Effort) {
    this.#effort = effort
    this.#sides = [...sides]
    this.#values = [...sides]
    this.#basis = sides.map((_, row) => -1 - row)
    this.#inverse = sides.map((_, row) => Float64Array.from(sides, (_side, at) => (at === row ? 1 : 0)))
  }

  add(column: Column): void {
    this.#columns.push(column)
  }

  /** Another right-hand side of a row that is not tight: the solution of now must stay within it. */
  changeSide(row: number, side: number): void {
    this.#sides[row] = side
    this.#values = this.#inverse.map((line) => {
      let sum = 0
      for (let at = 0; at < line.length; at += 1) sum += (line[at] as number) * (this.#sides[at] as number)
      return Math.max(0, sum)
    })
  }

  /** Solves for these costs of the columns (in the order in which they were added), and gives the prices of the rows. */
  solve(costOf: (column: number) => number): readonly number[] {
    const cost = (variable: number) => (variable < 0 ? 0 : costOf(variable))
    for (let pivot = 0; pivot < pivotsMax; pivot += 1) {
      this.#effort.spend(this.#sides.length * (this.#sides.length + this.#columns.length))
      const prices = this.#prices(cost)
      const entering = this.#entering(prices, cost, pivot > pivotsMax / 2)
      if (entering === null || !this.#pivot(entering)) return prices
    }
    return this.#prices(cost)
  }

  /** How much of each column is in use, by its number. */
  get use(): ReadonlyMap<number, number> {
    const used = new Map<number, number>()
    for (const [row, variable] of this.#basis.entries())
      if (variable >= 0) used.set(variable, this.#values[row] as number)
    return used
  }

  #prices(cost: (variable: number) => number): number[] {
    const prices = this.#sides.map(() => 0)
    for (const [row, variable] of this.#basis.entries()) {
      const own = cost(variable)
      if (own === 0) continue
      const line = this.#inverse[row] as Float64Array
      for (let at = 0; at < prices.length; at += 1) (prices[at] as number) += own * (line[at] as number)
    }
    return prices
  }

  /** The variable that gains most; with `isFirst` the first that gains, which cannot turn in circles. */
  #entering(prices: readonly number[], cost: (variable: number) => number, isFirst: boolean): number | null {
    let best: number | null = null
    let most = tolerance
    const look = (variable: number, gain: number): void => {
      if (gain <= most || (isFirst && best !== null)) return
      best = variable
      most = gain
    }
    for (const [row, price] of prices.entries()) look(-1 - row, -price)
    for (const [index, entries] of this.#columns.entries()) {
      let gain = cost(index)
      for (let at = 0; at < entries.length; at += 1) gain -= (entries[at] as number) * (prices[at] as number)
      look(index, gain)
    }
    return best
  }

  #pivot(entering: number): boolean {
    const direction = this.#inverse.map((line) => this.#times(line, entering))
    let leaving = -1
    let least = Number.POSITIVE_INFINITY
    for (const [row, step] of direction.entries()) {
      if (step <= tolerance) continue
      const ratio = (this.#values[row] as number) / step
      if (
        ratio < least - tolerance ||
        (ratio < least + tolerance && (this.#basis[row] as number) < (this.#basis[leaving] ?? 0))
      ) {
        least = Math.min(least, ratio)
        leaving = row
      }
    }
    if (leaving < 0) return false
    const line = this.#inverse[leaving] as Float64Array
    const own = direction[leaving] as number
    for (let at = 0; at < line.length; at += 1) (line[at] as number) /= own
    const amount = (this.#values[leaving] as number) / own
    for (const [row, step] of direction.entries()) {
      if (row === leaving || step === 0) continue
      const other = this.#inverse[row] as Float64Array
      for (let at = 0; at < line.length; at += 1) (other[at] as number) -= step * (line[at] as number)
      this.#values[row] = Math.max(0, (this.#values[row] as number) - step * amount)
    }
    this.#values[leaving] = amount
    this.#basis[leaving] = entering
    return true
  }

  #times(line: Float64Array, variable: number): number {
    if (variable < 0) return line[-1 - variable] as number
    const entries = this.#columns[variable] as Column
    let sum = 0
    for (let at = 0; at < entries.length; at += 1) sum += (line[at] as number) * (entries[at] as number)
    return sum
  }
}
