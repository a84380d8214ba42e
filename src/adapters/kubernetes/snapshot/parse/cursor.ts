import { isRecord } from '../../../../domain/is-record.ts'
import { parseQuantity } from '../../../../domain/quantity.ts'
import type { Amounts } from '../../../../domain/snapshot/index.ts'
import type { Instant } from '../../../../domain/time.ts'
import { type Fields, instantOf } from '../../client/index.ts'
import type { Mask } from './mask.ts'

/** Names, references and paths of the API are shorter; a longer one is no such thing. */
const nameCharsMax = 2_048
/** A message of the API that says more says the same again. */
const wordsCharsMax = 1_000
/** A list or map in one object that has more is not an object of a working cluster. */
const entriesMax = 2_000

/** A place in an object of the API. Fields that are absent (or null) have a value here too: the API leaves out zeros. */
export interface Cursor {
  readonly fields: Fields
  /** For messages: `spec.containers[0]`. */
  readonly path: string
  readonly mask: Mask
}

/** A field that is not of the type that the API gives it: its object is not read. */
export class ShapeProblem extends Error {}

/** The begin of an object. */
export function cursorOf(value: unknown, mask: Mask): Cursor {
  if (!isRecord(value)) throw new ShapeProblem(`it is ${kindOf(value)}, expected an object`)
  return { fields: value, path: '', mask }
}

/** An object in a field; an absent one has no fields. */
export function inside(at: Cursor, key: string): Cursor {
  const value = at.fields[key] ?? {}
  const path = pathOf(at, key)
  if (!isRecord(value)) throw new ShapeProblem(`${path} is ${kindOf(value)}, expected an object`)
  return { fields: value, path, mask: at.mask }
}

export function has(at: Cursor, key: string): boolean {
  return at.fields[key] !== undefined && at.fields[key] !== null
}

/** The objects of a list. */
export function each(at: Cursor, key: string): readonly Cursor[] {
  return listIn(at, key).map((value, index) => {
    const path = `${pathOf(at, key)}[${index}]`
    if (!isRecord(value)) throw new ShapeProblem(`${path} is ${kindOf(value)}, expected an object`)
    return { fields: value, path, mask: at.mask }
  })
}

/** A name or reference, as it is; null where it is absent or empty. */
export function name(at: Cursor, key: string): string | null {
  const value = at.fields[key] ?? ''
  if (typeof value !== 'string') throw wrong(at, key, 'text')
  if (value.length > nameCharsMax) throw new ShapeProblem(`${pathOf(at, key)} is longer than ${nameCharsMax}`)
  return value === '' ? null : value
}

/** A name without which the object says nothing. */
export function nameNeeded(at: Cursor, key: string): string {
  const value = name(at, key)
  if (value === null) throw new ShapeProblem(`${pathOf(at, key)} is absent`)
  return value
}

/** Text of programs or people, masked and cut; null where it is absent or empty. */
export function words(at: Cursor, key: string, charsMax = wordsCharsMax): string | null {
  const value = at.fields[key] ?? ''
  if (typeof value !== 'string') throw wrong(at, key, 'text')
  return value === '' ? null : at.mask(value, charsMax)
}

/** A number; null where it is absent. */
export function number(at: Cursor, key: string): number | null {
  const value = at.fields[key] ?? null
  if (value !== null && (typeof value !== 'number' || !Number.isFinite(value)))
    throw wrong(at, key, 'a number')
  return value
}

/** A number of things: absent is none. */
export function count(at: Cursor, key: string): number {
  const value = number(at, key) ?? 0
  if (value < 0) throw wrong(at, key, 'a count')
  return value
}

export function flag(at: Cursor, key: string): boolean {
  const value = at.fields[key] ?? false
  if (typeof value !== 'boolean') throw wrong(at, key, 'true or false')
  return value
}

export function time(at: Cursor, key: string): Instant | null {
  const value = name(at, key)
  const instant = instantOf(value)
  if (value !== null && instant === null) throw wrong(at, key, 'a time')
  return instant
}

/** The texts of a list, masked. */
export function texts(at: Cursor, key: string): readonly string[] {
  return listIn(at, key).map((value) => {
    if (typeof value !== 'string') throw wrong(at, key, 'a list of texts')
    return at.mask(value, nameCharsMax)
  })
}

/** Labels, selectors and the like, with masked values. */
export function textMap(
  at: Cursor,
  key: string,
  isWanted: (name: string) => boolean = () => true,
): Readonly<Record<string, string>> {
  const entries = entriesIn(at, key).filter(([entry]) => isWanted(entry))
  return Object.fromEntries(
    entries.map(([entry, value]) => {
      if (typeof value !== 'string') throw wrong(at, key, 'a map of texts')
      return [at.mask(entry, nameCharsMax), at.mask(value, wordsCharsMax)]
    }),
  )
}

/** Quantities by resource. */
export function amounts(at: Cursor, key: string): Amounts {
  return Object.fromEntries(
    entriesIn(at, key).map(([resource, value]) => {
      const amount = parseQuantity(value)
      if (amount === null) throw wrong(at, key, 'a map of quantities')
      return [resource, amount]
    }),
  )
}

export function amount(at: Cursor, key: string): number | null {
  const value = at.fields[key] ?? null
  const parsed = value === null ? null : parseQuantity(value)
  if (value !== null && parsed === null) throw wrong(at, key, 'a quantity')
  return parsed
}

/** The fields of a map. */
export function entriesIn(at: Cursor, key: string): readonly [string, unknown][] {
  const entries = Object.entries(inside(at, key).fields)
  if (entries.length > entriesMax) throw tooMany(at, key, entries.length)
  return entries
}

function listIn(at: Cursor, key: string): readonly unknown[] {
  const value = at.fields[key] ?? []
  if (!Array.isArray(value)) throw wrong(at, key, 'a list')
  if (value.length > entriesMax) throw tooMany(at, key, value.length)
  return value
}

function wrong(at: Cursor, key: string, expected: string): ShapeProblem {
  return new ShapeProblem(`${pathOf(at, key)} is ${kindOf(at.fields[key])}, expected ${expected}`)
}

function tooMany(at: Cursor, key: string, length: number): ShapeProblem {
  return new ShapeProblem(`${pathOf(at, key)} has ${length} entries, at most ${entriesMax} are read`)
}

function pathOf({ path }: Cursor, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

/** The kind of a value, never the value: it may be a secret in the wrong place. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'absent'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'string'
    ? 'other text'
    : typeof value === 'object'
      ? 'an object'
      : `a ${typeof value}`
}
