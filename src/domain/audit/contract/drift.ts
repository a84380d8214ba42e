import type { ScaleSetFact } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { evidenceOf, findingOf, subjectOf } from '../judging.ts'
import { applyText } from './apply-text.ts'
import { declaredLiveDrift } from './classes.ts'
import { type DeclaredLane, placeText } from './contract.ts'
import { heldRaise } from './declared-raise.ts'
import { differencesOf } from './differences.ts'
import type { LaneWithSets } from './lane-sets.ts'

/** One finding for each scale set, with every difference; a set of several lanes is compared with each. */
export function drifts(lanes: readonly LaneWithSets[], input: AuditInput): readonly Finding[] {
  const lanesBySet = new Map<ScaleSetFact, DeclaredLane[]>()
  for (const { lane, sets } of lanes)
    for (const set of sets) lanesBySet.set(set, [...(lanesBySet.get(set) ?? []), lane])
  return [...lanesBySet].flatMap(([set, declared]) => driftOf(set, declared, input))
}

function driftOf(set: ScaleSetFact, lanes: readonly DeclaredLane[], input: AuditInput): Finding[] {
  const { snapshot } = input
  const differing = lanes.filter((lane) => differencesOf(lane, set, snapshot).length > 0)
  const texts = [...new Set(differing.flatMap((lane) => differenceTexts(lane, set, snapshot)))]
  const [lane] = differing
  if (lane === undefined) return []
  const held = heldRaise(set, differing, input)
  const more = texts.length === 1 ? '' : `, and ${texts.length - 1} more`
  return [
    findingOf(declaredLiveDrift, {
      severity: 'warning',
      subject: subjectOf('scale-set', set),
      confidence: 'proven',
      summary: `Scale set ${keyOf(set)} is not as declared: ${texts[0]}${more}.`,
      evidence: [
        ...texts.map((text) => evidenceOf(snapshot.cluster.scaleSets, text)),
        ...(held?.evidence ?? []),
      ],
      nextAllowedAction: {
        kind: 'person',
        text:
          held?.text ??
          `Decide which value is meant. If it is the declared one, ${applyText(lane)}; if the live one, change the source.`,
        command: null,
      },
    }),
  ]
}

function differenceTexts(lane: DeclaredLane, set: ScaleSetFact, snapshot: AuditInput['snapshot']): string[] {
  return differencesOf(lane, set, snapshot).map(({ field, what, declared, live }) => {
    const place = placeText(lane, field)
    return `${what}: declared ${declared}${place === null ? '' : ` (${place})`}, live ${live}`
  })
}
