import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')

/** The README's block of output that begins with these words. */
export function blockOf(beginning: string): string {
  const blocks = readme.split(/^```.*\n/m).filter((_, at) => at % 2 === 1)
  const block = blocks.find((text) => text.startsWith(beginning))
  if (block === undefined) throw new Error(`the README has no block that begins with "${beginning}"`)
  return block
}

/** The parts of a block that the program did not print. A line of `…` stands for anything between two parts. */
export function notPrinted(block: string, output: string): string[] {
  const printed = comparable(output)
  return block
    .split(/^\s*…$/m)
    .map(comparable)
    .filter((part) => !printed.includes(part))
}

/** Every command of the table of tasks, as it stands there. */
export function taskCommands(): string[] {
  const rows = readme.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'))
  const tasks = rows.slice(0, rows.findIndex((line) => line.includes('holdfast sim forge')) + 1)
  return tasks.flatMap((line) =>
    [...line.matchAll(/`([^`]*holdfast [^`]*)`/g)].map(([, text]) => text as string),
  )
}

/** Without what differs from run to run: numbers, paths, colours, and where lines break. */
function comparable(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/(?<=\s)\/\S+/g, '/path')
    .replace(/\d+(\.\d+)?/g, '#')
    .replace(/\s+/g, ' ')
    .trim()
}
