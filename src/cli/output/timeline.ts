import type { Context } from '../context.ts'
import { fitted } from './fitted.ts'

/** A row of a timeline as it is printed. */
interface PrintedRow {
  readonly at: string
  readonly source: string
  readonly text: string
  /** Of whole seconds no fraction is shown. */
  readonly precision?: 'second' | 'millisecond'
  readonly mark?: string | null
}

const timeChars = 12
const secondChars = 8
const sourceChars = 8

/** Rows of a timeline with the day wherever it changes. */
export function timelineLines(
  rows: readonly PrintedRow[],
  { colors, width }: Pick<Context, 'colors' | 'width'>,
): string[] {
  const lines: string[] = []
  let day = ''
  for (const { at, source, text, precision, mark = null } of rows) {
    if (at.slice(0, 10) !== day) {
      day = at.slice(0, 10)
      lines.push(`  ${colors.dim(day)}`)
    }
    const shownChars = precision === 'second' ? secondChars : timeChars
    const time = at.slice(11, 11 + shownChars).padEnd(timeChars)
    const lead = `  ${colors.dim(time)}  ${source.padEnd(sourceChars)}`
    const noted = mark === null ? text : `${text} [! ${mark}]`
    lines.push(...fitted(noted, lead, 4 + timeChars + sourceChars, width))
  }
  return lines
}
