import { isRecord } from '../../../../domain/is-record.ts'
export interface FakeObject {
  readonly metadata: Record<string, unknown> & {
    readonly name: string
    readonly uid: string
    readonly resourceVersion: string
  }
  readonly [field: string]: unknown
}

export interface HistoryEvent {
  readonly version: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: FakeObject
}

/** The refusal of a write, as the API words it. */
export class Refusal extends Error {
  readonly code: number
  readonly reason: string
  constructor(code: number, reason: string, message: string) {
    super(message)
    this.code = code
    this.reason = reason
  }
}

/** For tests: the objects of a cluster with their versions and history, by the path of their collection. */
export class Truth {
  readonly #collections = new Map<string, Map<string, FakeObject>>()
  readonly #history = new Map<string, HistoryEvent[]>()
  readonly #listeners = new Set<(collection: string, event: HistoryEvent) => void>()
  #version = 1_000
  #uids = 0
  /** Older versions are forgotten. */
  compactedTo = 0

  get version(): number {
    return this.#version
  }

  objects(collection: string): FakeObject[] {
    const all = [...(this.#collections.get(collection) ?? new Map<string, FakeObject>())]
    return all.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object)
  }

  get(collection: string, name: string): FakeObject | undefined {
    return this.#collections.get(collection)?.get(name)
  }

  since(collection: string, version: number): HistoryEvent[] {
    return (this.#history.get(collection) ?? []).filter((event) => event.version > version)
  }

  compact(): void {
    this.compactedTo = this.#version
  }

  /** As after a restore from an old backup: versions begin again lower, and nothing is remembered. */
  restoreTo(version: number): void {
    this.#version = version
    this.#history.clear()
    this.compactedTo = 0
    for (const objects of this.#collections.values()) {
      for (const [name, object] of objects) {
        objects.set(name, { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } })
      }
    }
  }

  /** Something elsewhere in the cluster changed. */
  tick(): void {
    this.#version += 1
  }

  put(collection: string, name: string, fields: Record<string, unknown> = {}): FakeObject {
    const before = this.get(collection, name)
    this.#version += 1
    if (before === undefined) this.#uids += 1
    const metadata = {
      ...(fields.metadata as object | undefined),
      name,
      uid: before?.metadata.uid ?? `uid-${this.#uids}`,
      resourceVersion: String(this.#version),
      managedFields: [{ manager: 'somebody', time: '2026-11-16T12:00:00Z' }],
    }
    const object = { ...fields, metadata }
    this.#record(collection, name, { version: this.#version, type: before ? 'MODIFIED' : 'ADDED', object })
    return object
  }

  remove(collection: string, name: string): void {
    const before = this.get(collection, name)
    if (before === undefined) return
    this.#version += 1
    const metadata = { ...before.metadata, resourceVersion: String(this.#version) }
    this.#record(collection, name, {
      version: this.#version,
      type: 'DELETED',
      object: { ...before, metadata },
    })
  }

  create(collection: string, name: string, fields: Record<string, unknown>): FakeObject {
    if (this.get(collection, name)) throw new Refusal(409, 'AlreadyExists', `"${name}" already exists`)
    return this.put(collection, name, fields)
  }

  /** Replaces or merges; a uid or resourceVersion that is named must be that of the object. */
  change(collection: string, name: string, fields: Record<string, unknown>, isMerge: boolean): FakeObject {
    const before = this.get(collection, name)
    if (before === undefined) throw new Refusal(404, 'NotFound', `"${name}" not found`)
    const { uid, resourceVersion } = (fields.metadata ?? {}) as Record<string, unknown>
    if (uid !== undefined && uid !== before.metadata.uid) {
      throw new Refusal(422, 'Invalid', `metadata.uid: Invalid value: "${uid}": field is immutable`)
    }
    this.#require(before, { resourceVersion })
    return this.put(collection, name, isMerge ? merge(before, fields) : fields)
  }

  delete(collection: string, name: string, preconditions: Record<string, unknown>): void {
    const before = this.get(collection, name)
    if (before === undefined) throw new Refusal(404, 'NotFound', `"${name}" not found`)
    this.#require(before, preconditions)
    this.remove(collection, name)
  }

  onEvent(listener: (collection: string, event: HistoryEvent) => void): void {
    this.#listeners.add(listener)
  }

  #require(object: FakeObject, wanted: Record<string, unknown>): void {
    for (const field of ['uid', 'resourceVersion'] as const) {
      if (wanted[field] === undefined || wanted[field] === object.metadata[field]) continue
      throw new Refusal(409, 'Conflict', `the ${field} in the precondition is not that of the object`)
    }
  }

  #record(collection: string, name: string, event: HistoryEvent): void {
    const objects = this.#collections.get(collection) ?? new Map<string, FakeObject>()
    this.#collections.set(collection, objects)
    if (event.type === 'DELETED') objects.delete(name)
    else objects.set(name, event.object)
    const history = this.#history.get(collection) ?? []
    this.#history.set(collection, history)
    history.push(event)
    for (const listener of this.#listeners) listener(collection, event)
  }
}

function merge(before: Record<string, unknown>, patch: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...before }
  for (const [key, value] of Object.entries(patch)) {
    const old = merged[key]
    const list = /^\$deleteFromPrimitiveList\/(.+)$/.exec(key)?.[1]
    if (list !== undefined) merged[list] = without(merged[list], value)
    else if (value === null) delete merged[key]
    else if (isRecord(value)) merged[key] = merge(isRecord(old) ? old : {}, value)
    else merged[key] = value
  }
  return merged
}

/** As a strategic merge patch says it. */
function without(list: unknown, items: unknown): unknown {
  if (!Array.isArray(list) || !Array.isArray(items)) return list
  return list.filter((each) => !items.includes(each))
}
