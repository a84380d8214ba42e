import type { Instant } from '../time.ts'

/** Where a fact was read. */
export const factSources = ['cluster', 'kubelet', 'forge', 'agent', 'ledger', 'file', 'host'] as const
export type FactSource = (typeof factSources)[number]

/** A part that could not be read: it is unknown, and says so. */
export interface Unread {
  /** The part, in words: `pods in arc-runners`. */
  readonly what: string
  /** The answer that was got instead. */
  readonly why: string
  /** The right, option or program that would make it readable; null where nothing is known to help. */
  readonly needs: string | null
}

/**
 * Everything of one kind that was read. An item that is not listed is absent only where nothing is unread:
 * `isWhole` says so, and no judgement rests on an absence without it.
 */
export interface Listing<T> {
  readonly source: FactSource
  readonly at: Instant
  readonly items: readonly T[]
  readonly unread: readonly Unread[]
}

export function isWhole(listing: Listing<unknown>): boolean {
  return listing.unread.length === 0
}

/** A kind that nobody has read. */
export function unreadListing(source: FactSource, at: Instant, unread: Unread): Listing<never> {
  return { source, at, items: [], unread: [unread] }
}
