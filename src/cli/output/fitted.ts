import { stripVTControlCharacters } from 'node:util'
import { printable } from './printable.ts'
import { wrapped } from './wrap.ts'

/** Printable text in lines of at most `width`; words longer than a line are broken. */
export function fitted(text: string, lead: string, indent: number, width: number): string[] {
  const room = Math.max(8, width - Math.max(indent, stripVTControlCharacters(lead).length))
  const broken = printable(text).replaceAll(/\S+/gu, (word) => pieces(word, room).join(' '))
  return wrapped(broken, lead, indent, width)
}

function pieces(word: string, charsMax: number): string[] {
  const found: string[] = []
  for (let from = 0; from < word.length; from += charsMax) found.push(word.slice(from, from + charsMax))
  return found
}

/** A command to type; where it is longer than a line, the shell reads its parts as one. */
export function commandLines(command: string, indent: number, width: number): string[] {
  const lead = `${' '.repeat(indent)}$ `
  const lines = wrapped(printable(command), lead, indent + 4, width - 2)
  return lines.map((line, index) => (index < lines.length - 1 ? `${line} \\` : line))
}
