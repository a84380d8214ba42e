import { isRecord } from './is-record.ts'

/** A digest in hexadecimal; SHA-256 outside of tests. */
export type Digest = (text: string) => string

/** The one spelling of a JSON value: keys in order, no spaces. Equal values have equal text, and so an equal hash. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null'
  const entries = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`)
  return `{${entries.join(',')}}`
}
