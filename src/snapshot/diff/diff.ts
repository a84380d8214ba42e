import { isWhole, type Listing, type Snapshot } from '../../domain/snapshot/index.ts'
import type { Instant } from '../../domain/time.ts'
import { listsOf } from '../overview.ts'
import { type ChangedField, changedFields } from './fields.ts'
import { keyed } from './key.ts'

/** An object that both snapshots have, with the fields that differ. */
interface ChangedObject {
  readonly name: string
  readonly fields: readonly ChangedField[]
}

/** The differences of one kind. Absence is certain only where the other list is whole. */
export interface KindDiff {
  readonly list: string
  readonly what: string
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Only in the second, where the first could not read all: new, or unread before. */
  readonly addedOrUnread: readonly string[]
  /** Only in the first, where the second could not read all: gone, or unread now. */
  readonly removedOrUnread: readonly string[]
  readonly changed: readonly ChangedObject[]
}

interface Side {
  readonly id: string
  readonly takenAt: Instant
  readonly clusterName: string | null
}

export interface SnapshotDiff {
  readonly before: Side
  readonly after: Side
  readonly isSame: boolean
  /** Only kinds with differences. */
  readonly kinds: readonly KindDiff[]
  /** Comparisons that are not possible, and why, each as a sentence. */
  readonly notCompared: readonly string[]
}

/** The objects that were added, removed and changed from one snapshot to another. */
export function diffSnapshots(before: Snapshot, after: Snapshot): SnapshotDiff {
  const withHashes = before.hashScope !== null && before.hashScope === after.hashScope
  const isSameScope = JSON.stringify(before.scope) === JSON.stringify(after.scope)
  const lists = listsOf(after)
  const kinds = listsOf(before).flatMap(({ list, what, listing }, at) => {
    const later = lists[at]?.listing
    if (later === undefined) return []
    const diff = diffOf(listing, later, { list, isSameScope, withHashes })
    return isEmpty(diff) ? [] : [{ list, what, ...diff }]
  })
  return {
    before: sideOf(before),
    after: sideOf(after),
    isSame: kinds.length === 0,
    kinds,
    notCompared: [
      ...(withHashes ? [] : [hashSentence(before, after)]),
      ...(isSameScope
        ? []
        : ['The snapshots were narrowed differently: what only one has may be there all the same.']),
    ],
  }
}

interface Comparison {
  readonly list: string
  readonly isSameScope: boolean
  readonly withHashes: boolean
}

type Differences = Omit<KindDiff, 'list' | 'what'>

function diffOf(before: Listing<object>, after: Listing<object>, comparison: Comparison): Differences {
  const { list, isSameScope, withHashes } = comparison
  const earlier = keyed(list, before.items)
  const later = keyed(list, after.items)
  const onlyAfter = [...later.keys()].filter((name) => !earlier.has(name))
  const onlyBefore = [...earlier.keys()].filter((name) => !later.has(name))
  const [isAddedSure, isRemovedSure] = [isSameScope && isWhole(before), isSameScope && isWhole(after)]
  const changed = [...earlier].flatMap(([name, item]): ChangedObject[] => {
    const other = later.get(name)
    const fields = other === undefined ? [] : changedFields(item, other, { withHashes })
    return fields.length === 0 ? [] : [{ name, fields }]
  })
  return {
    added: isAddedSure ? onlyAfter : [],
    removed: isRemovedSure ? onlyBefore : [],
    addedOrUnread: isAddedSure ? [] : onlyAfter,
    removedOrUnread: isRemovedSure ? [] : onlyBefore,
    changed,
  }
}

function isEmpty(diff: Differences): boolean {
  return Object.values(diff).every((part) => part.length === 0)
}

function sideOf({ id, takenAt, clusterName }: Snapshot): Side {
  return { id, takenAt, clusterName }
}

function hashSentence(before: Snapshot, after: Snapshot): string {
  const [one, other] = [before, after].map(({ hashScope }) => hashScope ?? 'none')
  return `Values of secrets cannot be compared: their hashes have different keys (${one} and ${other}). Names, types and key names are.`
}
