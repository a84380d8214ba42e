import type { Instant } from '../../../domain/time.ts'
import type { LingeringStray } from '../../pool/start-problems.ts'

/** The state of the loop between passes. Losing it only costs time. */
export interface LifecycleState {
  /** Since when a runner is over, as first seen here. */
  overSince(name: string, now: Instant): Instant
  /** The latest error of reading a runner's end. */
  readonly unreadable: Map<string, Error>
  /** Since when a runner is a stray. */
  straySince(name: string, now: Instant): Instant
  isStray(name: string): boolean
  /** Strays that are reported to people, by name. */
  readonly lingering: Map<string, LingeringStray>
  /** Keeps these strays, and drops all others. */
  keepStrays(names: readonly string[]): void
  forget(name: string): void
}

export function createLifecycleState(): LifecycleState {
  const strays = new Map<string, Instant | null>()
  const over = new Map<string, Instant>()
  const unreadable = new Map<string, Error>()
  const lingering = new Map<string, LingeringStray>()
  return {
    unreadable,
    lingering,
    overSince(name, now) {
      const since = Math.min(now, over.get(name) ?? now)
      over.set(name, since)
      return since
    },
    straySince(name, now) {
      const since = strays.get(name) ?? now
      strays.set(name, since)
      return since
    },
    isStray: (name) => strays.has(name),
    keepStrays(names) {
      const present = new Set(names)
      for (const name of strays.keys()) if (!present.has(name)) strays.delete(name)
      for (const name of lingering.keys()) if (!present.has(name)) lingering.delete(name)
      for (const name of names) strays.set(name, strays.get(name) ?? null)
    },
    forget(name) {
      strays.delete(name)
      lingering.delete(name)
      over.delete(name)
      unreadable.delete(name)
    },
  }
}
