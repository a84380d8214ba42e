import { isRecord } from '../../domain/is-record.ts'

/** A field that differs; null stands for one that is not there. */
export interface ChangedField {
  /** `statuses.runner.state.reason` */
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

/** The first differences of one object say what happened to it; a pod that was replaced differs everywhere. */
const fieldsMax = 50
/** Counted up by the API server at every write: no fact of anybody's. */
const notFacts = new Set(['resourceVersion'])

/** The fields that differ between two versions of an object, down to single values. */
export function changedFields(
  before: object,
  after: object,
  { withHashes }: { readonly withHashes: boolean },
): readonly ChangedField[] {
  const found: ChangedField[] = []
  compare(before, after, '')
  return found

  function compare(one: unknown, other: unknown, path: string): void {
    if (found.length >= fieldsMax || Object.is(one, other)) return
    const [left, right] = [named(one), named(other)]
    if (left === null || right === null) {
      if (JSON.stringify(one) !== JSON.stringify(other)) note(path, one, other)
      return
    }
    for (const name of new Set([...left.keys(), ...right.keys()])) {
      if (notFacts.has(name) || (name === 'hash' && !withHashes)) continue
      const inner = path === '' ? name : `${path}.${name}`
      if (left.has(name) && right.has(name)) compare(left.get(name), right.get(name), inner)
      else note(inner, left.get(name), right.get(name))
    }
  }

  function note(path: string, one: unknown, other: unknown): void {
    found.push({ path, before: shown(path, one), after: shown(path, other) })
  }

  /** A log is compared whole, and is too long to be shown twice; an object may hold a hash. */
  function shown(path: string, value: unknown): unknown {
    if (path === 'lines' && Array.isArray(value)) return `${value.length} lines`
    if (!withHashes && isRecord(value) && 'hash' in value) return { ...value, hash: null }
    return value ?? null
  }
}

/** The parts of a value by name: fields, and the items of a list where each has a name or a type of its own. */
function named(value: unknown): ReadonlyMap<string, unknown> | null {
  if (isRecord(value)) return new Map(Object.entries(value))
  if (!Array.isArray(value) || value.length === 0) return null
  const names = value.map((item: unknown) => (isRecord(item) ? (item.name ?? item.type) : undefined))
  const isNamed = names.every((name) => typeof name === 'string') && new Set(names).size === names.length
  return isNamed ? new Map(value.map((item, at) => [String(names[at]), item])) : null
}
