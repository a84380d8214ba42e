import { type Known, knownOf } from '../known.ts'
import type { DeathRule, Finding } from '../verdict.ts'

/** A rule over the facts of an end of which something was read. */
export function rule(
  row: Omit<DeathRule, 'fires'> & { readonly fires: (known: Known) => Finding | null },
): DeathRule {
  return {
    ...row,
    fires: (facts) => {
      const known = knownOf(facts)
      return known === null ? null : row.fires(known)
    },
  }
}

/** What the cluster says about a pod's end, in its own words. */
export function wordsOf({ pod }: Known): string {
  return (pod?.message || pod?.disruption?.message || 'no more is said').trim()
}
