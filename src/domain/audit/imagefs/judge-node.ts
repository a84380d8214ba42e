import type { Reading, Runway } from '../../capacity/index.ts'
import { bytes } from '../../format.ts'
import type { NodeFact, NodeUsageFact } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { evidenceOf, findingOf, someOf, subjectOf } from '../judging.ts'
import { readingText } from './amount-text.ts'
import { atRisk, headroom, runway } from './classes.ts'
import type { LaneLimit } from './largest-lane.ts'
import { growers, isShort, runwayText } from './runway.ts'

/** Below this share of its size, a filesystem that runners fill is soon at the kubelet's threshold. */
const headroomShareMin = 0.05

/** One node with all that was read about its filesystems. */
export interface NodeReadings {
  readonly name: string
  /** Null where only its usage was read. */
  readonly node: NodeFact | null
  readonly usage: NodeUsageFact
  readonly readings: readonly Reading[]
  readonly lane: LaneLimit | null
  /** Null: no rate is known. */
  readonly runways: readonly Runway[] | null
  readonly usageBefore: NodeUsageFact | null
}

export function judgeNode(input: AuditInput, node: NodeReadings): readonly Finding[] {
  return [...littleHeadroom(input, node), ...overcommitted(input, node), ...fillingUp(input, node)]
}

function littleHeadroom(
  { snapshot }: AuditInput,
  { name, node, readings }: NodeReadings,
): readonly Finding[] {
  const { nodeUsage, nodes } = snapshot.cluster
  const little = readings.filter((reading) => reading.headroom < reading.capacity * headroomShareMin)
  const pressure = node?.conditions.find(({ type, status }) => type === 'DiskPressure' && status === 'True')
  if (little.length === 0 && pressure === undefined) return []
  const isEvicting = pressure !== undefined || little.some((reading) => reading.headroom <= 0)
  return [
    findingOf(headroom, {
      severity: isEvicting ? 'critical' : 'warning',
      subject: nodeSubject(name),
      confidence: 'proven',
      summary: `${name} ${isEvicting ? 'is where its kubelet evicts' : 'has little left before its kubelet evicts'}.`,
      evidence: [
        ...little.map((reading) => evidenceOf(nodeUsage, readingText(reading))),
        ...(pressure === undefined
          ? []
          : [
              evidenceOf(
                nodes,
                `DiskPressure: ${pressure.message ?? pressure.reason ?? 'True'}`,
                pressure.at,
              ),
            ]),
      ],
      nextAllowedAction: {
        kind: 'person',
        text: 'Look at images, logs and writable layers on the node; raise the lane’s request in its source, not the cap.',
        command: null,
      },
    }),
  ]
}

function overcommitted({ snapshot }: AuditInput, { name, readings, lane }: NodeReadings): readonly Finding[] {
  if (lane === null) return []
  const { nodeUsage, scaleSets } = snapshot.cluster
  const short = readings.filter(({ unit, headroom: left }) => unit === 'bytes' && left < lane.limitBytes)
  if (short.length === 0) return []
  return [
    findingOf(atRisk, {
      severity: 'warning',
      subject: nodeSubject(name),
      confidence: 'proven',
      summary: `One runner of ${lane.set.name} may write ${bytes(lane.limitBytes)}, more than ${name} has left.`,
      evidence: [
        ...short.map((reading) => evidenceOf(nodeUsage, readingText(reading))),
        evidenceOf(
          scaleSets,
          `${lane.set.name} may be placed there, with a limit of ${bytes(lane.limitBytes)}`,
        ),
      ],
      nextAllowedAction: {
        kind: 'read',
        text: 'See how many runners of each lane the node really takes.',
        command: 'holdfast capacity check',
      },
    }),
  ]
}

function fillingUp(
  { snapshot }: AuditInput,
  { name, usage, runways, usageBefore }: NodeReadings,
): readonly Finding[] {
  const short = (runways ?? []).filter(isShort)
  if (short.length === 0 || usageBefore === null) return []
  const { nodeUsage } = snapshot.cluster
  const grown = growers(usage, usageBefore)
  return [
    findingOf(runway, {
      severity: 'warning',
      subject: nodeSubject(name),
      confidence: 'likely',
      summary: `${name} fills up within the hour at its present rate.`,
      evidence: [
        ...short.map((each) => evidenceOf(nodeUsage, runwayText(each))),
        ...(grown.length === 0 ? [] : [evidenceOf(nodeUsage, `pods that grew most: ${someOf(grown)}`)]),
      ],
      nextAllowedAction: {
        kind: 'person',
        text: 'Look at the pods that grew; cordon the node if it takes more runners meanwhile.',
        command: null,
      },
    }),
  ]
}

function nodeSubject(name: string): Finding['subject'] {
  return subjectOf('node', { namespace: '', name })
}
