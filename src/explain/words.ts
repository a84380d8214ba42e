import { redactText, withoutEscapes } from '../domain/redact/index.ts'

/** One fact is shown in at most so many characters; what a container or a cluster says has no bound of its own. */
const TEXT_CHARS_MAX = 600

/** Words of others on one line: without secrets, bounded, and without anything that a terminal obeys. */
export function oneLine(text: string): string {
  const line = harmless(text).replaceAll(/\s+/g, ' ').trim()
  return redactText(line, TEXT_CHARS_MAX)
}

/** The same with its lines kept. */
export function harmless(text: string): string {
  return withoutEscapes(text.replaceAll('\r\n', '\n')).replaceAll(/\r|\p{Cf}/gu, '')
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
