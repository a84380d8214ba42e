import type { Packing, PackingItem } from '../packing.ts'
import { bestPattern, type PatternItem } from './best-pattern.ts'
import type { BinClass } from './bin-classes.ts'
import type { Effort } from './effort.ts'
import { Master } from './master.ts'

/** One way to fill a bin of a class: how many of each item. */
export interface Pattern {
  readonly classIndex: number
  readonly counts: readonly number[]
}

/** The items that are counted. */
export type Goal = 'required' | 'wanted'

export interface Solved {
  /** No placement has more of the goal. */
  readonly bound: number
  /** How often each pattern is used, in fractions. */
  readonly use: readonly { readonly pattern: Pattern; readonly times: number }[]
}

/** Rounds of new patterns; most programs need some ten. */
const roundsMax = 60
/** The bound is a sum of fractions: it may be too high by this, never too low. */
const slack = 1e-6
const gainMin = 1e-7

/**
 * The linear program over patterns of bins, solved by column generation. For any prices of counts and limits, the bins at
 * their best under those prices bound every placement (the Lagrangian), so the bound holds however far the rounds came.
 */
export class PatternProgram {
  readonly #effort: Effort
  readonly #classes: readonly BinClass[]
  readonly #items: readonly PackingItem[]
  readonly #sides: number[]
  readonly #requiredRows: number
  readonly #patterns: Pattern[] = []
  readonly #known = new Set<string>()
  readonly #master: Master

  constructor(packing: Packing, classes: readonly BinClass[], seeds: readonly Pattern[], effort: Effort) {
    this.#effort = effort
    this.#classes = classes
    this.#items = [...packing.required, ...packing.wanted]
    this.#requiredRows = packing.required.length
    // Rows: bins of each class, count of each item, shared limits; the last one holds the least of the required items,
    // and is no constraint (at most one less than none) until they are demanded.
    this.#sides = [
      ...classes.map(({ bins }) => bins.length),
      ...this.#items.map(({ count }) => count),
      ...packing.shared.map((free) => Math.max(0, free)),
      1,
    ]
    this.#master = new Master(this.#sides, effort)
    for (const pattern of seeds) this.#add(pattern)
  }

  /** From now on at least so many required items; the last solution must have had them. */
  demand(required: number): void {
    const row = this.#sides.length - 1
    this.#sides[row] = -required
    this.#master.changeSide(row, -required)
  }

  solve(goal: Goal): Solved {
    const worth = this.#items.map((_, row) => (row < this.#requiredRows === (goal === 'required') ? 1 : 0))
    const costs: number[] = []
    const costOf = (column: number): number => {
      for (let at = costs.length; at < this.#patterns.length; at += 1)
        costs.push(dot((this.#patterns[at] as Pattern).counts, worth))
      return costs[column] as number
    }
    let bound = Number.POSITIVE_INFINITY
    for (let round = 0; round < roundsMax; round += 1) {
      const prices = this.#master.solve(costOf).map((price) => Math.max(0, price))
      const values = this.#values(worth, prices)
      const priced = this.#classes.map((each, index) => this.#price(each, index, values))
      bound = Math.min(
        bound,
        this.#lagrangian(
          prices,
          priced.map(({ valueMax }) => valueMax),
        ),
      )
      const reached = sum([...this.#master.use].map(([column, times]) => costOf(column) * times))
      if (Math.floor(bound + slack) <= Math.floor(reached + slack)) break
      const added = priced.filter(
        ({ value, pattern }) =>
          value > (prices[pattern.classIndex] as number) + gainMin && this.#add(pattern),
      )
      if (added.length === 0 || this.#effort.isSpent) break
    }
    const use = [...this.#master.use].map(([column, times]) => ({
      pattern: this.#patterns[column] as Pattern,
      times,
    }))
    return { bound: Math.floor(bound + slack), use }
  }

  #add(pattern: Pattern): boolean {
    const key = `${pattern.classIndex} ${pattern.counts.join()}`
    if (this.#known.has(key)) return false
    this.#known.add(key)
    this.#patterns.push(pattern)
    const { counts, classIndex } = pattern
    const limits = this.#sides.length - this.#classes.length - this.#items.length - 1
    this.#master.add([
      ...this.#classes.map((_, index) => (index === classIndex ? 1 : 0)),
      ...counts,
      ...Array.from({ length: limits }, (_, at) =>
        sum(counts.map((count, row) => count * (this.#items[row]?.shares[at] ?? 0))),
      ),
      -sum(counts.slice(0, this.#requiredRows)),
    ])
    return true
  }

  /** The worth of one more of each item under these prices of its count, of the limits and of the demand. */
  #values(worth: readonly number[], prices: readonly number[]): readonly number[] {
    const first = this.#classes.length
    const demanded = prices.at(-1) as number
    return this.#items.map(({ shares }, row) => {
      const limits = shares.map((need, at) => need * (prices[first + this.#items.length + at] as number))
      return (
        (worth[row] as number) -
        (prices[first + row] as number) -
        sum(limits) +
        (row < this.#requiredRows ? demanded : 0)
      )
    })
  }

  #price({ free, rows }: BinClass, classIndex: number, values: readonly number[]) {
    const items = rows.map(
      (row): PatternItem => ({
        value: values[row] as number,
        size: this.#items[row]?.size ?? [],
        max: this.#items[row]?.count ?? 0,
      }),
    )
    const { counts, value, valueMax } = bestPattern(free, items, this.#effort)
    const whole = this.#items.map(() => 0)
    for (const [index, row] of rows.entries()) whole[row] = counts[index] as number
    return { value, valueMax, pattern: { classIndex, counts: whole } }
  }

  #lagrangian(prices: readonly number[], valueMax: readonly number[]): number {
    const bins = this.#classes.length
    const atPrices = sum(this.#sides.slice(bins).map((side, at) => side * (prices[bins + at] as number)))
    // Until required items are demanded their row has no price, and its side of one is none.
    return atPrices + sum(this.#classes.map((each, index) => each.bins.length * (valueMax[index] as number)))
  }
}

function dot(a: readonly number[], b: readonly number[]): number {
  let total = 0
  for (let at = 0; at < a.length; at += 1) total += (a[at] as number) * (b[at] as number)
  return total
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
