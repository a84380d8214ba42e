import { redactText } from '../domain/redact/index.ts'

/** One fact is shown in at most so many characters; what a container or a cluster says has no bound of its own. */
const TEXT_CHARS_MAX = 600

/** What a terminal obeys, as programs write it: colours, cursor moves, titles, links. */
const CONTROL_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\u001b\[[0-?]{0,64}[ -/]{0,8}[@-~]?|\u001b[\]PX^_][^\u0007\u001b\u009c]{0,4096}(?:\u0007|\u001b\\|\u009c)?|\u009b[0-?]{0,64}[ -/]{0,8}[@-~]?|\u001b./gu

/** Words of others on one line: without secrets, bounded, and without anything that a terminal obeys. */
export function oneLine(text: string): string {
  const line = harmless(text).replaceAll(/\s+/g, ' ').trim()
  return redactText(line, TEXT_CHARS_MAX)
}

/** The same with its lines kept. */
export function harmless(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(CONTROL_SEQUENCES, '')
    .replaceAll(/[^\P{Cc}\n\t]|\p{Cf}/gu, '')
}

const unitBytes = 1024
const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** An amount of memory or disk for people. */
export function bytesText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const amount = bytes / unitBytes ** power
  return `${Number.isInteger(amount) ? amount : amount.toFixed(1)} ${units[power]}`
}

/** Each once, in order. */
export function once(lines: readonly string[]): string[] {
  return [...new Set(lines.filter((line) => line !== ''))]
}
