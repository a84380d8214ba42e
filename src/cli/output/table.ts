import Table from 'cli-table3'
import type { Context } from '../context.ts'
import { printable } from './printable.ts'

export interface Column<Row> {
  readonly head: string
  readonly text: (row: Row) => string
  /** Shrinks where the table is too wide; flexible columns share the remaining width. */
  readonly isFlexible?: boolean
  readonly paint?: (row: Row) => (text: string) => string
}

const gap = 2
const flexibleMin = 8

/** Aligned columns without lines, fitted to the width of the terminal. */
export function tableText<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { width, colors }: Pick<Context, 'width' | 'colors'>,
): string {
  const cells = rows.map((row) => columns.map((column) => printable(column.text(row))))
  const widths = fitted(columns, cells, width)
  const table = new Table({
    chars: bare,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colWidths: widths.map((own, index) => (index === widths.length - 1 ? own : own + gap)),
  })
  table.push(columns.map(({ head }, at) => colors.dim(cut(head, widths[at] ?? 0))))
  for (const [index, row] of rows.entries()) {
    const texts = cells[index] ?? []
    table.push(columns.map(({ paint }, at) => painted(cut(texts[at] ?? '', widths[at] ?? 0), paint?.(row))))
  }
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Columns are separated by this gap alone. */
const bare = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
}

function fitted<Row>(columns: readonly Column<Row>[], cells: readonly string[][], width: number): number[] {
  const natural = columns.map(({ head }, at) =>
    Math.max(head.length, ...cells.map((row) => [...(row[at] ?? '')].length)),
  )
  let excess = sum(natural) + gap * (columns.length - 1) - width
  while (excess > 0) {
    const widest = natural
      .map((own, at) => ({ own, at }))
      .filter(({ own, at }) => columns[at]?.isFlexible && own > flexibleMin)
      .sort((a, b) => b.own - a.own)[0]
    if (widest === undefined) break
    natural[widest.at] = widest.own - 1
    excess -= 1
  }
  return natural
}

function cut(text: string, width: number): string {
  const letters = [...text]
  return letters.length <= width ? text : `${letters.slice(0, width - 1).join('')}…`
}

function painted(text: string, paint: ((text: string) => string) | undefined): string {
  return paint === undefined ? text : paint(text)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, next) => total + next, 0)
}
