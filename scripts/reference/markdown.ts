/** A page: its title, its parts with an empty line between them, and where it comes from. */
export function page(title: string, ...parts: readonly string[]): string {
  const note = '<!-- Generated from the code by `npm run docs`; edit the code, not this page. -->'
  return `${[`# ${title}`, note, ...parts].join('\n\n')}\n`
}

/** A table; what would break its cells is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** Between backticks a `<` is plain, and only the bar ends a cell. */
function cell(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => part.replaceAll(part.startsWith('`') ? /\|/g : /[|<]/g, '\\$&'))
    .join('')
    .replaceAll(/\s*\n\s*/g, ' ')
}
