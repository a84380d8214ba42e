import { harmless, oneLine, redactText } from '../domain/redact/index.ts'

export { harmless, oneLine }

/** As much as a record keeps. */
const tailCharsMax = 64 * 1024

/** The newest output of a runner, with its lines: without secrets, bounded and harmless. */
export function tailText(tail: string): string {
  return redactText(harmless(tail).slice(-tailCharsMax), tailCharsMax).trimEnd()
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
