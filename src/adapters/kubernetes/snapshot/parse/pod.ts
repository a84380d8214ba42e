import type { ContainerStateFact, ContainerStatusFact, PodFact } from '../../../../domain/snapshot/index.ts'
import {
  type Cursor,
  count,
  each,
  flag,
  has,
  inside,
  name,
  nameNeeded,
  number,
  textMap,
  time,
  words,
} from './cursor.ts'
import { conditionsIn, objectFact, ownerOf } from './object.ts'
import { parsePodTemplate } from './pod-template.ts'

/** Other annotations are large, or nobody's business: what was last applied has every value again. */
const keptAnnotation =
  /^(?:(?:actions\.github\.com|holdfast\.dev|cluster-autoscaler\.kubernetes\.io|karpenter\.sh|(?:job|project)\.runner\.gitlab\.com)\/|org\.opencontainers\.image\.(?:version|revision|created)$)/

/** A pod with all its containers' states. */
export function parsePod(pod: Cursor): PodFact {
  const metadata = inside(pod, 'metadata')
  const spec = inside(pod, 'spec')
  const status = inside(pod, 'status')
  const object = objectFact(pod)
  return {
    ...object,
    ...parsePodTemplate(spec, object.name),
    labels: textMap(metadata, 'labels'),
    annotations: textMap(metadata, 'annotations', (key) => keptAnnotation.test(key)),
    owner: ownerOf(pod),
    node: name(spec, 'nodeName'),
    phase: name(status, 'phase') ?? 'Unknown',
    reason: words(status, 'reason'),
    message: words(status, 'message'),
    startedAt: time(status, 'startTime'),
    conditions: conditionsIn(status),
    statuses: [...each(status, 'initContainerStatuses'), ...each(status, 'containerStatuses')].map(
      parseStatus,
    ),
    priority: number(spec, 'priority'),
  }
}

function parseStatus(status: Cursor): ContainerStatusFact {
  return {
    name: nameNeeded(status, 'name'),
    isReady: flag(status, 'ready'),
    restarts: count(status, 'restartCount'),
    imageId: name(status, 'imageID'),
    state: parseState(inside(status, 'state')),
    lastState: parseState(inside(status, 'lastState')),
  }
}

function parseState(state: Cursor): ContainerStateFact | null {
  const kind = (['terminated', 'running', 'waiting'] as const).find((known) => has(state, known))
  if (kind === undefined) return null
  const at = inside(state, kind)
  const isOver = kind === 'terminated'
  return {
    kind,
    reason: words(at, 'reason'),
    message: words(at, 'message'),
    exitCode: isOver ? (number(at, 'exitCode') ?? 0) : null,
    signal: number(at, 'signal'),
    startedAt: time(at, 'startedAt'),
    finishedAt: time(at, 'finishedAt'),
  }
}
