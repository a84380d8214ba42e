import type { Redactor } from './redactor.ts'

/** Fields that hold what programs and people wrote, and not words of ours that rules compare. */
const FREE_TEXT = new Set(['tail', 'message', 'line', 'missing', 'because', 'ruledOut', 'unknown'])

/** A death record, or any data of such shape, whose free texts went through a redactor; nothing else changes. */
export function redactRecord<T>(record: T, redactor: Pick<Redactor, 'text'>): T {
  return copy(record, false) as T

  function copy(value: unknown, isFree: boolean): unknown {
    if (typeof value === 'string') return isFree ? redactor.text(value, value.length) : value
    if (Array.isArray(value)) return value.map((inner) => copy(inner, isFree))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, copy(inner, FREE_TEXT.has(key))]),
    )
  }
}
