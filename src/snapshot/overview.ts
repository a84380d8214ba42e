import {
  type FactSource,
  isWhole,
  type Listing,
  type Snapshot,
  type Unread,
} from '../domain/snapshot/index.ts'
import type { Instant } from '../domain/time.ts'
import { clusterKinds, forgeKinds } from './kinds.ts'

/** One list of a snapshot, without its items. */
interface ListOverview {
  /** `cluster.pods` */
  readonly list: string
  /** In words. */
  readonly what: string
  readonly source: FactSource
  readonly at: Instant
  readonly count: number
  readonly isWhole: boolean
  readonly unread: readonly Unread[]
}

/** A snapshot without its facts: what is in it, how old, and what is missing. */
export interface SnapshotOverview extends Omit<Snapshot, 'cluster' | 'forge'> {
  readonly lists: readonly ListOverview[]
}

export function overviewOf({ cluster, forge, ...head }: Snapshot): SnapshotOverview {
  return {
    ...head,
    lists: listsOf({ cluster, forge }).map(({ listing, ...one }) => ({ ...one, ...of(listing) })),
  }
}

/** Every list of a snapshot with its place and its name in words. */
export function listsOf({ cluster, forge }: Pick<Snapshot, 'cluster' | 'forge'>) {
  const named = <Facts extends Readonly<Record<keyof Facts, Listing<object>>>>(
    from: string,
    facts: Facts,
    kinds: Readonly<Record<keyof Facts & string, string>>,
  ) =>
    Object.entries<string>(kinds).map(([kind, what]) => ({
      list: `${from}.${kind}`,
      what,
      listing: facts[kind as keyof Facts] as Listing<object>,
    }))
  return [...named('cluster', cluster, clusterKinds), ...named('forge', forge, forgeKinds)]
}

function of(listing: Listing<object>): Omit<ListOverview, 'list' | 'what'> {
  const { source, at, items, unread } = listing
  return { source, at, count: items.length, isWhole: isWhole(listing), unread }
}
