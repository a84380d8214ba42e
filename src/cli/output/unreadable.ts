import type { Context } from '../context.ts'
import { printable } from './printable.ts'
import { wrapped } from './wrap.ts'

/** So many are told of one by one. */
const shownMax = 10

/** What stands below a table about rows that only a newer version can read; nothing where there are none. */
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
