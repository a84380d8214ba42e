import type { ScaleSetFact } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { FindingEvidence } from '../finding.ts'
import { someOf } from '../judging.ts'
import { auditRaise } from '../raise/index.ts'
import type { DeclaredLane } from './contract.ts'

/** The findings against applying a lane that declares more runners than its set has. */
export interface HeldRaise {
  readonly text: string
  readonly evidence: readonly FindingEvidence[]
}

/** Null where the lanes declare no more than the set has, or nothing stands against it on the set's labels. */
export function heldRaise(
  set: ScaleSetFact,
  lanes: readonly DeclaredLane[],
  { snapshot, contract }: AuditInput,
): HeldRaise | null {
  const live = set.maxRunners
  if (live === null || !lanes.some(({ maxRunners }) => maxRunners !== null && maxRunners > live)) return null
  const raise = { kind: 'maximum', labels: set.runnerLabels } as const
  const { verdict, refusals, unjudged } = auditRaise(raise, { snapshot, contract })
  if (verdict === 'allowed') return null
  const names = refusals.map(({ finding }) => `${finding.class} (${finding.subject.name})`)
  const classes = [...new Set(unjudged.map((each) => each.class))]
  return {
    text:
      verdict === 'refused'
        ? `The higher maxRunners is refused while findings are open on ${set.runnerLabels.join(', ')}: ${someOf(names)}. Close these first.`
        : `The higher maxRunners is not allowed before these are judged: ${someOf(classes)}.`,
    evidence: refusals.map(({ finding }) => ({
      source: finding.evidence[0]?.source ?? 'cluster',
      at: finding.evidence[0]?.at ?? null,
      text: `against the raise: ${finding.class}: ${finding.summary}`,
    })),
  }
}
