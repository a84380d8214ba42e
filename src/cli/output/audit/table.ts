import type { AuditReport } from '../../../api/index.ts'
import type { Context } from '../../context.ts'
import { fitted } from '../fitted.ts'
import { tableText } from '../table.ts'

/** Rows of a table that are shown; `--json` has all. */
const rowsMax = 40
/** Below it a column says nothing any more. */
const columnChars = 10

type Table = AuditReport['tables'][number]
type Look = Pick<Context, 'colors' | 'width'>

/** A table of an audit: its title, and its rows fitted to the width. */
export function tableLines(table: Table, look: Look): string[] {
  const { title, columns, rows } = table
  const shown = { ...table, rows: rows.slice(0, rowsMax) }
  const isWide = columns.length * columnChars > look.width
  const unshown = rows.length - rowsMax
  return [
    look.colors.bold(title),
    ...(rows.length === 0 ? ['  none'] : isWide ? recordLines(shown, look) : columnLines(shown, look)),
    ...(unshown > 0 ? [`and ${unshown} more rows: --json`] : []),
  ]
}

function columnLines({ columns, rows }: Table, look: Look): string[] {
  const heads = columns.map((head, at) => ({
    head: head.toUpperCase(),
    text: (row: readonly string[]) => row[at] ?? '',
    isFlexible: true,
  }))
  return tableText(heads, rows, look).split('\n')
}

/** A row of many columns is a sentence: its first cell, then each other with its column's name. */
function recordLines({ columns, rows }: Table, { colors, width }: Look): string[] {
  return rows.flatMap(([first = '', ...cells]) => {
    const parts = cells.map((cell, index) => `${columns[index + 1] ?? ''} ${cell === '' ? '-' : cell}`)
    return fitted(`${first}: ${parts.join(', ')}`, `  ${colors.dim('- ')}`, 4, width)
  })
}
