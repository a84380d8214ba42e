import type { Audit, AuditInput } from '../audit.ts'
import type { Finding, Unjudged } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { evidenceOf, findingOf, subjectOf, unjudgedBy } from '../judging.ts'
import { applyText } from './apply-text.ts'
import { contractClasses, declaredLiveDrift, declaredSetMissing, undeclaredSet } from './classes.ts'
import { type Contract, placeText } from './contract.ts'
import { drifts } from './drift.ts'
import { type LaneWithSets, lanesWithSets } from './lane-sets.ts'
import { belowMinimum } from './minimum.ts'

/** The fleet as it is, against what the installation declares about itself. */
export const contract: Audit = {
  name: 'contract',
  title: 'The live fleet against its contract file',
  classes: contractClasses,
  needs: 'contract',
  judge(input) {
    const { scaleSets, nodes } = input.snapshot.cluster
    const declared = input.contract
    if (declared === null) return { findings: [], unjudged: withoutContract(), tables: [] }
    const lanes = lanesWithSets(declared, input)
    const hasNodes = declared.lanes.some((lane) => lane.nodes.length > 0)
    return {
      findings: [
        ...drifts(lanes, input),
        ...lanes.flatMap((lane) => missingSets(lane, input)),
        ...undeclared(declared, lanes, input),
        ...belowMinimum(declared, input),
      ],
      unjudged: [
        ...unjudgedBy(contractClasses, scaleSets),
        ...(hasNodes ? unjudgedBy([declaredLiveDrift], nodes) : []),
      ],
      tables: [],
    }
  },
}

function withoutContract(): readonly Unjudged[] {
  return contractClasses.map(({ name }) => ({
    class: name,
    why: 'no contract file was given',
    needs: '--contract <file>; holdfast contract init writes one from a snapshot',
  }))
}

function missingSets({ lane, missing }: LaneWithSets, { snapshot }: AuditInput): Finding[] {
  if (missing.length === 0) return []
  const place = placeText(lane, 'scaleSets')
  return [
    findingOf(declaredSetMissing, {
      severity: 'critical',
      subject: { kind: 'label', namespace: null, name: lane.label },
      confidence: 'proven',
      summary: `Lane ${lane.label} is declared${place === null ? '' : ` in ${place}`}, and there is no ${missing.join(', no ')}.`,
      evidence: [evidenceOf(snapshot.cluster.scaleSets, 'scale sets were read whole')],
      nextAllowedAction: {
        kind: 'person',
        text: `If the lane is meant, ${applyText(lane)}; if not, take it out of the contract.`,
        command: null,
      },
    }),
  ]
}

function undeclared(
  { lanes: declared, file }: Contract,
  lanes: readonly LaneWithSets[],
  { snapshot }: AuditInput,
): Finding[] {
  const { scaleSets } = snapshot.cluster
  const known = new Set(lanes.flatMap(({ sets }) => sets))
  return scaleSets.items
    .filter((set) => set.deletedAt === null && !known.has(set))
    .map((set) =>
      findingOf(undeclaredSet, {
        severity: 'notice',
        subject: subjectOf('scale-set', set),
        confidence: 'proven',
        summary: `Scale set ${keyOf(set)} serves ${set.runnerLabels.join(', ') || 'no label'}, and no lane of ${file} names it.`,
        evidence: [evidenceOf(scaleSets, `none of ${declared.length} lanes has it`)],
        nextAllowedAction: {
          kind: 'person',
          text: 'Declare a lane for it in the contract, or remove the set in its source.',
          command: null,
        },
      }),
    )
}
