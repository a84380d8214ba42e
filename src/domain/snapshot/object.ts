import type { Instant } from '../time.ts'

/** A name in a namespace. */
export interface ObjectRef {
  readonly namespace: string
  readonly name: string
}

/** The identity and age that every object has. */
export interface ObjectFact extends ObjectRef {
  readonly uid: string
  readonly resourceVersion: string
  readonly createdAt: Instant | null
  /** When its deletion was requested, of a pod with its grace added; null where it was not. */
  readonly deletedAt: Instant | null
  readonly finalizers: readonly string[]
}

/** The name by which lists are joined: `namespace/name`. */
export function keyOf({ namespace, name }: ObjectRef): string {
  return `${namespace}/${name}`
}
