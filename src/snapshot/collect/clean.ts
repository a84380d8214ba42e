import { itemsMax, partsMax } from '../../api/index.ts'
import { isRecord } from '../../domain/is-record.ts'
import { isSecretKey, redacted } from '../../domain/redact/index.ts'
import type { Listing, Unread } from '../../domain/snapshot/index.ts'
import type { Mask } from './mask.ts'

/**
 * Masks and bounds a list, whatever its reader did already. Every fact passes here before anybody judges or stores it: a
 * live snapshot is judged by the same facts as its file.
 */
export function cleanListing<T>(what: string, listing: Listing<T>, mask: Mask): Listing<T> {
  const pass: Pass = { mask, cuts: 0 }
  const { items, unread } = listing
  const kept = items.slice(0, itemsMax).map((item) => clean(item, '', pass) as T)
  const lost = items.length - kept.length
  const notes = [
    ...(lost > 0 ? [tooMany(`${lost} of ${what}`, `a snapshot takes ${itemsMax} of a kind`)] : []),
    ...(pass.cuts > 0
      ? [tooMany(`parts of ${pass.cuts} ${what}`, `a snapshot takes ${partsMax} of each part`)]
      : []),
  ]
  const known = unread.slice(0, partsMax - notes.length).map((part) => clean(part, '', pass) as Unread)
  return { ...listing, items: kept, unread: [...known, ...notes] }
}

/** One walk over a list. */
interface Pass {
  readonly mask: Mask
  /** Lists and records that were cut. */
  cuts: number
}

function clean(value: unknown, field: string, pass: Pass): unknown {
  if (typeof value === 'string') return pass.mask.text(value)
  if (Array.isArray(value)) return cleanList(value, field, pass)
  return isRecord(value) ? cleanFields(value, field, pass) : value
}

function cleanList(values: readonly unknown[], field: string, pass: Pass): unknown[] {
  if (field === 'lines') return pass.mask.lines(values)
  const kept = bounded(values, pass)
  return field === 'args' ? pass.mask.args(kept) : kept.map((value) => clean(value, '', pass))
}

function cleanFields(value: Fields, field: string, pass: Pass): Fields {
  const entries = bounded(Object.entries(value), pass).map(([name, inner]): [string, unknown] => {
    // People name annotations; the names of other fields are ours.
    const isSecret = field === 'annotations' && isSecretKey(name)
    return [pass.mask.text(name), isSecret ? redacted : clean(inner, name, pass)]
  })
  return { ...Object.fromEntries(entries), ...(isSecretEnv(value) && { value: redacted }), ...cutLog(value) }
}

type Fields = Readonly<Record<string, unknown>>

/** An environment variable whose name marks its value as secret. */
function isSecretEnv({ name, value, from }: Fields): boolean {
  return (
    typeof from === 'string' && typeof value === 'string' && typeof name === 'string' && isSecretKey(name)
  )
}

function cutLog({ lines }: Fields): { readonly isCut?: true } {
  return Array.isArray(lines) && lines.length > partsMax ? { isCut: true } : {}
}

function bounded<T>(values: readonly T[], pass: Pass): readonly T[] {
  if (values.length <= partsMax) return values
  pass.cuts += 1
  return values.slice(0, partsMax)
}

function tooMany(what: string, why: string): Unread {
  return { what, why, needs: 'a narrower snapshot: --namespace, --label, --node' }
}
