import type { Help } from 'commander'

/** Names up to this long have their description on the same line; longer ones have it below. */
const termWidth = 26
const indent = 2

/** How commander lays out help: within the width, however long the names of settings are. */
export const helpLayout = {
  padWidth: () => termWidth,
  formatItem(term: string, _: number, description: string, helper: Help): string {
    const left = ' '.repeat(indent)
    if (description === '') return `${left}${term}`
    const column = indent + termWidth + indent
    const text = helper
      .boxWrap(description, Math.max(20, (helper.helpWidth ?? 80) - column))
      .replaceAll('\n', `\n${' '.repeat(column)}`)
    const isLong = helper.displayWidth(term) > termWidth
    const gap = isLong ? `\n${' '.repeat(column)}` : ' '.repeat(column - indent - helper.displayWidth(term))
    return `${left}${term}${gap}${text}`
  },
}
