import type { Snapshot } from '../../../src/domain/snapshot/index.ts'

type Kind = readonly ['cluster' | 'forge', string]

/** A removal: a list, and what goes; everything of it, one item, or only the certainty that nothing is missing. */
export interface Removal {
  readonly kind: Kind
  readonly item: number | 'all' | 'none'
}

/** The snapshot with less in a list, which is then known not to be whole. */
export function without(snapshot: Snapshot, { kind: [part, list], item }: Removal): Snapshot {
  const listing = snapshot[part][list as never] as { items: unknown[]; unread: unknown[] }
  const items = listing.items.filter((_, index) => item === 'none' || (item !== 'all' && index !== item))
  const unread = [...listing.unread, { what: list, why: 'forbidden', needs: `list ${list}` }]
  return { ...snapshot, [part]: { ...snapshot[part], [list]: { ...listing, items, unread } } }
}

/** Every list, and every item of it. */
export function removalsFrom(snapshot: Snapshot): Removal[] {
  return (['cluster', 'forge'] as const).flatMap((part) =>
    Object.entries(snapshot[part]).flatMap(([list, { items }]) =>
      (['all', 'none', ...items.keys()] as const).map((item) => ({ kind: [part, list] as Kind, item })),
    ),
  )
}
