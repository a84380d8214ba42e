import type { Change, ClusterObject } from '../../../../ports/cluster.ts'
import { keyOf } from '../paths.ts'
import type { Indexer } from './indexer.ts'
import { compareVersions, isNoNewer } from './version.ts'
import type { WatchEvent } from './watch.ts'

/** Removed objects are remembered until the next bookmark, and at most so many. */
const tombstonesMax = 20_000

/** The effect of an event: new, known already, or new but out of order. */
type EventOutcome = 'new' | 'repeated' | 'late'

/**
 * Keeps a store equal to the cluster: takes lists, which are the truth at one moment, and events, which may be
 * repeated or out of their turn. An object never goes back to an older version, and one that is gone never returns.
 */
export interface CacheUpdater<T extends ClusterObject> {
  /** Where to go on watching; null before the first list, and where only a list can help. */
  readonly resumeFrom: string | null
  distrust(): void
  beginListing(): Listing<T>
  take(event: WatchEvent<T>): EventOutcome
}

interface Listing<T> {
  take(object: T): void
  /** Every object was taken: what is not among them is gone. */
  finish(resourceVersion: string): void
}

export function createCacheUpdater<T extends ClusterObject>(
  store: Indexer<T>,
  emit: (changes: readonly Change<T>[]) => void,
): CacheUpdater<T> {
  /** The newest version that was received. */
  let newest: string | null = null
  /** Everything up to this version is in the store. */
  let floor: string | null = null
  const tombstones = new Map<string, string>()

  function take(event: WatchEvent<T>): EventOutcome {
    const version = event.kind === 'bookmark' ? event.resourceVersion : event.object.metadata.resourceVersion
    if (floor !== null && isNoNewer(version, floor)) return 'repeated'
    if (event.kind === 'bookmark') return takeBookmark(version)
    const { object } = event
    const key = keyOf(object.metadata)
    const known = store.get(key)?.metadata.resourceVersion
    const tombstone = tombstones.get(key)
    if (tombstone !== undefined && isNoNewer(version, tombstone)) return 'repeated'
    if (known !== undefined && isOutdone(event.kind, version, known)) return 'repeated'
    const order = advance(version)
    if (event.kind === 'put') {
      tombstones.delete(key)
      emit(store.put(object))
    } else {
      bury(key, version)
      emit(store.remove(key, object, true))
    }
    return order
  }

  function takeBookmark(version: string): EventOutcome {
    const order = advance(version)
    if (order === 'late') return 'repeated'
    floor = version
    for (const [key, at] of tombstones) if (isNoNewer(at, version)) tombstones.delete(key)
    return order
  }

  function advance(version: string): EventOutcome {
    const isLate = newest !== null && (compareVersions(version, newest) ?? 1) < 0
    if (!isLate) newest = version
    return isLate ? 'late' : 'new'
  }

  function bury(key: string, version: string): void {
    tombstones.set(key, version)
    const [oldest] = tombstones.keys()
    if (tombstones.size > tombstonesMax && oldest !== undefined) tombstones.delete(oldest)
  }

  return {
    get resumeFrom() {
      return newest
    },
    distrust() {
      newest = null
    },
    beginListing() {
      const seen = new Set<string>()
      return {
        take(object) {
          const key = keyOf(object.metadata)
          seen.add(key)
          const known = store.get(key)?.metadata
          const { uid, resourceVersion } = object.metadata
          // The object that we have is kept, so that a list in vain costs no memory.
          if (known?.uid === uid && known.resourceVersion === resourceVersion) return
          emit(store.put(object))
        },
        finish(resourceVersion) {
          for (const key of [...store.keys()]) {
            if (!seen.has(key)) emit(store.remove(key, undefined, false))
          }
          // Also backwards: a cluster that was restored from a backup counts from there.
          newest = resourceVersion
          floor = resourceVersion
          tombstones.clear()
        },
      }
    },
    take,
  }
}

/** A removal carries the version of the removal, or on old servers that of the object as it last was. */
function isOutdone(kind: 'put' | 'removed', version: string, known: string): boolean {
  const order = compareVersions(version, known)
  return order !== null && (kind === 'put' ? order <= 0 : order < 0)
}
