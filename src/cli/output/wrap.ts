import { stripVTControlCharacters } from 'node:util'

/** Text in lines of at most `width`; the first begins with `lead`, the others are indented by `indent`. */
export function wrapped(text: string, lead: string, indent: number, width: number): string[] {
  const lines: string[] = []
  let line = lead
  let isFresh = true
  for (const word of text.split(' ')) {
    const isTooLong = stripVTControlCharacters(line).length + word.length + 1 > width
    if (isTooLong && !isFresh) {
      lines.push(line)
      line = ' '.repeat(indent)
      isFresh = true
    }
    line += isFresh ? word : ` ${word}`
    isFresh = false
  }
  return [...lines, line]
}
