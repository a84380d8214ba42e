import { type Known, knownOf } from '../known.ts'
import type { DeathRule, Finding, Proof } from '../verdict.ts'

const byItsJob =
  'whether its job wrote this: what is known of it lies on its machine, where its job can write'

/** A rule over the facts of an end of which something was read. Without a written argument it proves nothing. */
export function rule(
  row: Omit<DeathRule, 'fires'> & { readonly fires: (known: Known) => Finding | null },
): DeathRule {
  return {
    ...row,
    fires: (facts) => {
      const known = knownOf(facts)
      const finding = known === null ? null : row.fires(known)
      return finding === null || known === null ? null : bounded(finding, row.proof, known)
    },
  }
}

function bounded(finding: Finding, proof: Proof | undefined, { pod }: Known): Finding {
  if (finding.confidence !== 'proven') return finding
  if (proof === undefined) return { ...finding, confidence: 'likely' }
  if (pod !== null || proof.rests === 'forge') return finding
  return { ...finding, confidence: 'likely', unknown: [...(finding.unknown ?? []), byItsJob] }
}

/** What the cluster says about a pod's end, in its own words. */
export function wordsOf({ pod }: Known): string {
  return (pod?.message || pod?.disruption?.message || 'no more is said').trim()
}
