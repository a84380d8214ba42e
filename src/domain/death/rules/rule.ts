import { type Known, knownOf } from '../known.ts'
import type { DeathRule, Finding, ProofArgument } from '../verdict.ts'

const byItsJob = 'whether its job wrote this: the evidence lies on its machine, where its job can write'

/** A rule over an end of which something was read. Without a written argument it says likely at most. */
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

function bounded(finding: Finding, proof: ProofArgument | undefined, { pod }: Known): Finding {
  if (finding.confidence !== 'proven') return finding
  if (proof === undefined) return { ...finding, confidence: 'likely' }
  if (pod !== null || proof.rests === 'forge') return finding
  return { ...finding, confidence: 'likely', unknown: [...(finding.unknown ?? []), byItsJob] }
}

/** The message of the cluster about a pod's end. */
export function clusterMessage({ pod }: Known): string {
  return (pod?.message || pod?.disruption?.message || 'no more is said').trim()
}
