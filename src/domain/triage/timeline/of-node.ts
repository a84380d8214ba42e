import { bytes } from '../../format.ts'
import {
  type FilesystemUsage,
  keyOf,
  type NodeFact,
  type NodeProbeFact,
  type NodeUsageFact,
  type PodFact,
  type Snapshot,
} from '../../snapshot/index.ts'
import { entryAt, isBadCondition, nodeConditionText, type TimelineEntry } from '../../timeline/index.ts'
import { rowsAfter, type TimelineCaseRow, type UndatedFact } from './row.ts'

/** The node of a pod: its conditions, its kubelet's statistics, and what an agent saw there. */
export function nodeRows(pod: PodFact | null, { cluster }: Snapshot): readonly TimelineCaseRow[] {
  if (pod?.node == null) return []
  const isIts = ({ node }: { readonly node: string }) => node === pod.node
  return rowsAfter([
    ...nodesOf(pod, cluster.nodes.items).flatMap((node) => conditionChanges(node, pod)),
    ...cluster.nodeUsage.items.filter(isIts).flatMap((usage) => usageEntries(usage, pod)),
    ...cluster.nodeProbes.items.filter(isIts).flatMap((probe) => probeEntries(probe, pod)),
  ])
}

/** Marks of a node that say nothing of their time. */
export function nodeUndated(pod: PodFact | null, { cluster }: Snapshot): readonly UndatedFact[] {
  return nodesOf(pod, cluster.nodes.items).flatMap(({ name, conditions, taints, isCordoned }) => {
    const texts = [
      ...conditions
        .filter((condition) => condition.at === null && isBadCondition(condition))
        .map((condition) => nodeConditionText(name, condition)),
      ...(isCordoned ? [`Node ${name} is closed to new pods.`] : []),
      ...taints.map(({ key, effect }) => `Node ${name} has the taint ${key} (${effect}).`),
    ]
    return texts.map((text): UndatedFact => ({ source: 'cluster', text }))
  })
}

function nodesOf(pod: PodFact | null, nodes: readonly NodeFact[]): readonly NodeFact[] {
  return nodes.filter(({ name }) => name === pod?.node)
}

/** A good condition that is younger than the pod was a bad one before. */
function conditionChanges({ name, conditions }: NodeFact, { createdAt }: PodFact): TimelineEntry[] {
  return conditions
    .filter(
      (condition) => isBadCondition(condition) || (createdAt !== null && (condition.at ?? 0) >= createdAt),
    )
    .flatMap((condition) => entryAt(condition.at, 'cluster', nodeConditionText(name, condition)))
}

function usageEntries(usage: NodeUsageFact, pod: PodFact): TimelineEntry[] {
  const { node, at, nodefs, imagefs, memoryAvailableBytes } = usage
  const parts = [
    ...leftText(nodefs, 'for pods'),
    ...leftText(imagefs, 'for images'),
    ...(memoryAvailableBytes === null ? [] : [`${bytes(memoryAvailableBytes)} of memory`]),
  ]
  const own = usage.pods.filter((each) => keyOf(each.pod) === keyOf(pod)).flatMap(usedText)
  return [
    ...(parts.length === 0 ? [] : entryAt(at, 'kubelet', `Node ${node} has left: ${parts.join(', ')}.`)),
    ...own.flatMap((text) => entryAt(at, 'kubelet', text)),
  ]
}

function leftText({ availableBytes, capacityBytes }: FilesystemUsage, what: string): string[] {
  if (availableBytes === null) return []
  const whole = capacityBytes === null ? '' : ` of ${bytes(capacityBytes)}`
  return [`${bytes(availableBytes)}${whole} ${what}`]
}

function usedText({ ephemeralBytes, memoryWorkingSetBytes }: NodeUsageFact['pods'][number]): string[] {
  const parts = [
    ...(ephemeralBytes === null ? [] : [`${bytes(ephemeralBytes)} of disk`]),
    ...(memoryWorkingSetBytes === null ? [] : [`${bytes(memoryWorkingSetBytes)} of memory`]),
  ]
  return parts.length === 0 ? [] : [`The pod uses ${parts.join(' and ')}.`]
}

function probeEntries({ node, at, fileTable, workers }: NodeProbeFact, { name }: PodFact): TimelineEntry[] {
  const files =
    fileTable === null ? [] : [`Node ${node} has ${fileTable.allocated} of ${fileTable.max} files open.`]
  const worker =
    workers === null
      ? []
      : [`Node ${node} runs ${workers.includes(name) ? 'a' : 'no'} Runner.Worker of ${name}.`]
  return [...files, ...worker].flatMap((text) => entryAt(at, 'agent', text))
}
