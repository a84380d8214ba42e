import type { Instant } from '../../../domain/time.ts'

/** What the loop remembers between passes. Losing it costs time, never more. */
export interface Memory {
  /** Since when the end of a runner could not be read. */
  readonly unreadableSince: Map<string, Instant>
  /** Since when a runner is one that the ledger does not count on. */
  straySince(name: string, now: Instant): Instant
  isStray(name: string): boolean
  /** These are all there are. */
  keepStrays(names: readonly string[]): void
  forget(name: string): void
}

export function createMemory(): Memory {
  const strays = new Map<string, Instant | null>()
  const unreadableSince = new Map<string, Instant>()
  return {
    unreadableSince,
    straySince(name, now) {
      const since = strays.get(name) ?? now
      strays.set(name, since)
      return since
    },
    isStray: (name) => strays.has(name),
    keepStrays(names) {
      const present = new Set(names)
      for (const name of strays.keys()) if (!present.has(name)) strays.delete(name)
      for (const name of names) strays.set(name, strays.get(name) ?? null)
    },
    forget(name) {
      strays.delete(name)
      unreadableSince.delete(name)
    },
  }
}
