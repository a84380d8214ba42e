import type { ClusterObject } from '../../../../ports/cluster.ts'

/** An object as the API gives it, with all its fields. */
export type WholeObject = ClusterObject & Record<string, unknown>

/** Makes of an object what the view keeps of it. */
export type Transform<T extends ClusterObject> = (object: WholeObject) => T

/**
 * Checks that it is an object of the API at all, and drops what nobody reads: who manages which field is often half
 * of an object's size. Null where it is none.
 */
export function parseObject<T extends ClusterObject>(value: unknown, keep: Transform<T>): T | null {
  if (typeof value !== 'object' || value === null) return null
  const { metadata } = value as { metadata?: Record<string, unknown> }
  if (typeof metadata !== 'object' || metadata === null) return null
  const isIdentified = [metadata.name, metadata.uid, metadata.resourceVersion].every(
    (field) => typeof field === 'string' && field !== '',
  )
  if (!isIdentified) return null
  if (metadata.managedFields !== undefined) delete metadata.managedFields // else V8 makes a slow object of it
  return keep(value as WholeObject)
}
