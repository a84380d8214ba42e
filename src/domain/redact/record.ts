import type { Redactor } from './redactor.ts'

/** Fields with text of programs and people; the others hold values that rules compare. */
const freeText = new Set(['tail', 'message', 'line', 'missing', 'because', 'ruledOut', 'unknown'])

/** A death record, or any data of such shape, with its free texts redacted; nothing else changes. */
export function redactRecord<T>(record: T, redactor: Pick<Redactor, 'text'>): T {
  return copy(record, false) as T

  function copy(value: unknown, isFree: boolean): unknown {
    if (typeof value === 'string') return isFree ? redactor.text(value, value.length) : value
    if (Array.isArray(value)) return value.map((inner) => copy(inner, isFree))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, copy(inner, freeText.has(key))]),
    )
  }
}
