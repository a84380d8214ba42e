import type { ConditionFact, ObjectFact } from '../../../../domain/snapshot/index.ts'
import { type Cursor, each, flag, inside, name, nameNeeded, texts, time, words } from './cursor.ts'

/** The identity and age of an object. */
export function objectFact(object: Cursor): ObjectFact {
  const metadata = inside(object, 'metadata')
  return {
    namespace: name(metadata, 'namespace') ?? '',
    name: nameNeeded(metadata, 'name'),
    uid: nameNeeded(metadata, 'uid'),
    resourceVersion: nameNeeded(metadata, 'resourceVersion'),
    createdAt: time(metadata, 'creationTimestamp'),
    deletedAt: time(metadata, 'deletionTimestamp'),
    finalizers: texts(metadata, 'finalizers'),
  }
}

/** Labels and annotations, to look up single ones. */
export function marksOf(object: Cursor): { readonly labels: Cursor; readonly annotations: Cursor } {
  const metadata = inside(object, 'metadata')
  return { labels: inside(metadata, 'labels'), annotations: inside(metadata, 'annotations') }
}

interface OwnerFact {
  readonly kind: string
  readonly name: string
  readonly uid: string
}

/** The object that controls it; an owner that does not control only where no other does. */
export function ownerOf(object: Cursor): OwnerFact | null {
  const owners = each(inside(object, 'metadata'), 'ownerReferences')
  const owner = owners.find((each) => flag(each, 'controller')) ?? owners[0]
  if (owner === undefined) return null
  return { kind: nameNeeded(owner, 'kind'), name: nameNeeded(owner, 'name'), uid: nameNeeded(owner, 'uid') }
}

export function conditionsIn(status: Cursor): readonly ConditionFact[] {
  return each(status, 'conditions').map((condition) => ({
    type: nameNeeded(condition, 'type'),
    status: name(condition, 'status') ?? 'Unknown',
    reason: words(condition, 'reason'),
    message: words(condition, 'message'),
    at: time(condition, 'lastTransitionTime'),
  }))
}
