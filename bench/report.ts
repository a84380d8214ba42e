import Table from 'cli-table3'

/** One measured figure and its baseline of the same run. */
export interface Row {
  readonly metric: string
  readonly value: number
  readonly unit: string
  readonly baseline: number
  readonly ratio: number
  /** The goal as text that names the direction; null: no goal was set. */
  readonly goal: string | null
  readonly met: boolean | null
}

export interface BenchContext {
  /** Smaller amounts, to see that it works. */
  readonly quick: boolean
  /** Other amounts than a bench's own, where it has some. */
  readonly jobs?: readonly number[] | undefined
  readonly pods?: readonly number[] | undefined
  /** Only these parts of it. */
  readonly scenes?: readonly string[] | undefined
  readonly say: (line: string) => void
}

export interface Bench {
  readonly name: string
  readonly about: string
  run(context: BenchContext): Promise<Row[]>
}

/** A figure of which more is better. */
export function atLeast(
  metric: string,
  unit: string,
  value: number,
  baseline: number,
  least: number | null,
): Row {
  const ratio = value / baseline
  const goal = least === null ? null : `>= ${least}`
  return { metric, unit, value, baseline, ratio, goal, met: least === null ? null : ratio >= least }
}

/** A figure of which less is better. */
export function atMost(
  metric: string,
  unit: string,
  value: number,
  baseline: number,
  most: number | null,
): Row {
  const ratio = value / baseline
  const goal = most === null ? null : `<= ${most}`
  return { metric, unit, value, baseline, ratio, goal, met: most === null ? null : ratio <= most }
}

export function printTable(rows: readonly Row[]): void {
  const table = new Table({
    head: ['metric', 'ours', 'baseline', 'unit', 'ratio', 'goal', ''],
    style: { head: [] },
  })
  for (const row of rows) {
    const verdict = row.met === null ? '' : row.met ? 'met' : 'MISSED'
    table.push([
      row.metric,
      figure(row.value),
      figure(row.baseline),
      row.unit,
      row.ratio.toFixed(2),
      row.goal ?? '',
      verdict,
    ])
  }
  console.log(table.toString())
}

function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
}

export function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}
