import type { Context } from '../context.ts'
import { printable } from './printable.ts'
import { wrapped } from './wrap.ts'

/** The number of rows that are listed one by one. */
const shownMax = 10

/** Lines below a table about rows that only a newer version can read; none where there are no such rows. */
export function unreadableLines(
  rows: readonly { readonly name: string; readonly why: string }[],
  context: Context,
): string[] {
  const lead = `${context.colors.red('written by a newer version')} `
  const lines = rows.slice(0, shownMax).map(({ name, why }) => `${name}: ${why}`)
  if (rows.length > shownMax) lines.push(`and ${rows.length - shownMax} more`)
  return lines.flatMap((line, at) => [
    ...(at === 0 ? [''] : []),
    ...wrapped(printable(line), lead, 2, context.width),
  ])
}
