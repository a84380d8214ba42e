import type { NamespacedName, ObjectKind, ObjectMeta } from '../../../ports/cluster.ts'

/** Where the API serves all objects of a kind; without a namespace, those of all namespaces. */
export function collectionPath(
  { group, version, plural, isNamespaced }: ObjectKind,
  namespace?: string,
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const inside = isNamespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  return `${root}${inside}/${plural}`
}

/** Where the API serves one object. */
export function objectPath(kind: ObjectKind, { name, namespace }: NamespacedName): string {
  return `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`
}

export function apiVersionOf({ group, version }: ObjectKind): string {
  return group === '' ? version : `${group}/${version}`
}

/** By which a view knows an object. */
export function keyOf({ name, namespace }: Pick<ObjectMeta, 'name' | 'namespace'>): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}
