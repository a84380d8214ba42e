import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Change, ClusterObject } from '../../../../ports/cluster.ts'
import { keyOf } from '../paths.ts'

export type Indexes<T> = Readonly<Record<string, (object: T) => readonly string[]>>

/** Objects by key and by index. The caller decides which version is newer; the indexer returns the changes. */
export interface Indexer<T extends ClusterObject> {
  readonly size: number
  get(key: string): T | undefined
  keys(): IterableIterator<string>
  list(): T[]
  by(index: string, value: string): T[]
  /** An object of another UID under the same name is another object: the old one was removed. */
  put(object: T): readonly Change<T>[]
  remove(key: string, last: T | undefined, isFinal: boolean): readonly Change<T>[]
}

export function createIndexer<T extends ClusterObject>(indexes: Indexes<T>): Indexer<T> {
  const objects = new Map<string, T>()
  const filed = new Map(Object.keys(indexes).map((name) => [name, new Map<string, Set<string>>()]))

  function file(key: string, object: T): void {
    for (const [name, values] of filed) {
      for (const value of indexes[name]?.(object) ?? []) {
        const keys = values.get(value)
        if (keys === undefined) values.set(value, new Set([key]))
        else keys.add(key)
      }
    }
  }
  function unfile(key: string, object: T): void {
    for (const [name, values] of filed) {
      for (const value of indexes[name]?.(object) ?? []) {
        const keys = values.get(value)
        keys?.delete(key)
        if (keys?.size === 0) values.delete(value)
      }
    }
  }

  return {
    get size() {
      return objects.size
    },
    get: (key) => objects.get(key),
    keys: () => objects.keys(),
    list: () => [...objects.values()],
    by(index, value) {
      const values = filed.get(index)
      if (values === undefined) throw new HoldfastError('E_BUG', { what: `a view has no index "${index}"` })
      return [...(values.get(value) ?? [])].map((key) => objects.get(key) as T)
    },
    put(object) {
      const key = keyOf(object.metadata)
      const before = objects.get(key)
      if (before !== undefined) unfile(key, before)
      objects.set(key, object)
      file(key, object)
      if (before === undefined) return [{ kind: 'added', key, object }]
      if (before.metadata.uid === object.metadata.uid) return [{ kind: 'changed', key, object, before }]
      return [
        { kind: 'removed', key, object: before, isFinal: false },
        { kind: 'added', key, object },
      ]
    },
    remove(key, last, isFinal) {
      const before = objects.get(key)
      if (before === undefined) return []
      unfile(key, before)
      objects.delete(key)
      // The removed object may be another one than we knew under this name.
      const isSame = last !== undefined && last.metadata.uid === before.metadata.uid
      return [{ kind: 'removed', key, object: isSame ? last : before, isFinal: isFinal && isSame }]
    },
  }
}
