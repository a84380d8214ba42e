import type { Instant } from '../time.ts'
import { type DeathClass, deathClasses } from './record.ts'

/** The rule of the decision that corrects a wrongly sealed end; the record itself is never rewritten. */
export const correctionRule = 'death-corrected'

/** The true state of a runner whose end was sealed while it lived. */
export interface Correction {
  readonly at: Instant
  /** The class of its later end; null while it is known to live. */
  readonly class: DeathClass | null
}

/** The correction that holds among the decisions about one runner; null where there is none. */
export function correctionOf(
  decisions: readonly {
    readonly at: Instant
    readonly rule: string
    readonly facts: Readonly<Record<string, unknown>>
  }[],
): Correction | null {
  const corrections = decisions.filter(({ rule }) => rule === correctionRule)
  // A later end is final, in whatever order the decisions were written.
  const last = corrections.find(({ facts }) => facts.found === 'ended') ?? corrections.at(-1)
  if (last === undefined) return null
  if (last.facts.found !== 'ended') return { at: last.at, class: null }
  const name = (last.facts.record as { readonly class?: unknown } | undefined)?.class
  return { at: last.at, class: deathClasses.find((known) => known === name) ?? 'unknown' }
}
