import { isRecord } from '../../../domain/is-record.ts'
export type JsonMap = Readonly<Record<string, unknown>>

/** Cut to what a person reads in a sentence. */
const shownCharsMax = 120

/** The value where it is a map, else an empty one. */
export function mapOf(value: unknown): JsonMap {
  return isRecord(value) ? value : {}
}

/** Its elements that are maps; none where it is no list. */
export function mapsOf(value: unknown): readonly JsonMap[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** The same text for the same content, whatever the order in which it was written. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  )
}

export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((one, at) => isSame(one, b[at]))
    )
  }
  if (!isRecord(a) || !isRecord(b)) return false
  const fields = Object.keys(a)
  return (
    fields.length === Object.keys(b).length &&
    fields.every((field) => Object.hasOwn(b, field) && isSame(a[field], b[field]))
  )
}

/** A value in a sentence. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text
}
