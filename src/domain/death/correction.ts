import type { Instant } from '../time.ts'
import { type DeathClass, deathClasses } from './record.ts'

/** The decision by which an end that was sealed wrongly is put right; the record itself is never rewritten. */
export const correctionRule = 'death-corrected'

/** What is true of a runner whose end was sealed although it lived. */
export interface Correction {
  readonly at: Instant
  /** How it ended later; null: it lives, as far as it was seen. */
  readonly class: DeathClass | null
}

/** The newest word among such decisions about one runner; null where there is none. */
export function correctionOf(
  decisions: readonly {
    readonly at: Instant
    readonly rule: string
    readonly facts: Readonly<Record<string, unknown>>
  }[],
): Correction | null {
  const corrections = decisions.filter(({ rule }) => rule === correctionRule)
  // How it ended is the last word, whenever it was written.
  const told = corrections.find(({ facts }) => facts.found === 'ended') ?? corrections.at(-1)
  if (told === undefined) return null
  if (told.facts.found !== 'ended') return { at: told.at, class: null }
  const name = (told.facts.record as { readonly class?: unknown } | undefined)?.class
  return { at: told.at, class: deathClasses.find((known) => known === name) ?? 'unknown' }
}
