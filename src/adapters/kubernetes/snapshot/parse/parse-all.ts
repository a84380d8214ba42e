import { isRecord } from '../../../../domain/is-record.ts'
import type { Unread } from '../../../../domain/snapshot/index.ts'
import { type Cursor, cursorOf, ShapeProblem } from './cursor.ts'
import { createMask, type Mask } from './mask.ts'

/** Makes a fact of an object, or null where it says nothing; throws a ShapeProblem where it cannot. */
export type Parse<T> = (object: Cursor) => T | null

const nameCharsMax = 300

export interface Parsed<T> {
  readonly items: readonly T[]
  readonly unread: readonly Unread[]
}

/** Facts of all objects that have the shape of their kind; each of the others is a part that is unread. */
export function parseAll<T>(
  objects: readonly unknown[],
  parse: Parse<T>,
  what: string,
  mask: Mask = createMask(),
): Parsed<T> {
  const items: T[] = []
  const unread: Unread[] = []
  for (const object of objects) {
    try {
      const fact = parse(cursorOf(object, mask))
      if (fact !== null) items.push(fact)
    } catch (error) {
      if (!(error instanceof ShapeProblem)) throw error
      unread.push({
        what: `${what}: ${mask(labelOf(object), nameCharsMax)}`,
        why: error.message,
        needs: null,
      })
    }
  }
  return { items, unread }
}

function labelOf(object: unknown): string {
  const metadata = isRecord(object) && isRecord(object.metadata) ? object.metadata : {}
  const { namespace, name } = metadata
  if (typeof name !== 'string') return 'an object without a name'
  return typeof namespace === 'string' ? `${namespace}/${name}` : name
}
