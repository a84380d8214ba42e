import type { NodeAffinity, NodeSelectorTerm, PodSpec } from '../pod.ts'

/** More are not carried in one pod: a start on another bad node costs a failed start, not a job. */
export const avoidedNodesMax = 200

/**
 * Keeps a pod from these nodes, besides its template's own node terms: terms are alternatives, so each of them gets
 * the condition. By the node's name and not by its hostname label, which may differ and which people may change; the
 * API takes one name in each condition.
 */
export function avoiding(affinity: PodSpec['affinity'], nodes: readonly string[]): PodSpec['affinity'] {
  if (nodes.length === 0) return affinity
  const elsewhere = elsewhereThan(nodes)
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const terms = required?.nodeSelectorTerms?.map((term) => narrow(term, elsewhere)) ?? [
    { matchFields: elsewhere },
  ]
  const nodeAffinity: NodeAffinity = {
    ...affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { ...required, nodeSelectorTerms: terms },
  }
  return { ...affinity, nodeAffinity }
}

/** The scheduler's greatest: a template's preference counts as much, not more. */
const weightMax = 100

/** Has a pod placed on these nodes only where no other one takes it. */
export function preferringOthers(
  affinity: PodSpec['affinity'],
  nodes: readonly string[],
): PodSpec['affinity'] {
  if (nodes.length === 0) return affinity
  const preferred = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  const nodeAffinity: NodeAffinity = {
    ...affinity?.nodeAffinity,
    preferredDuringSchedulingIgnoredDuringExecution: [
      ...preferred,
      { weight: weightMax, preference: { matchFields: elsewhereThan(nodes) } },
    ],
  }
  return { ...affinity, nodeAffinity }
}

function elsewhereThan(nodes: readonly string[]): NonNullable<NodeSelectorTerm['matchFields']> {
  const names = [...new Set(nodes)].sort().slice(0, avoidedNodesMax)
  return names.map((name) => ({ key: 'metadata.name', operator: 'NotIn', values: [name] }))
}

/** A term without a condition matches no node, and must not begin to match by ours. */
function narrow(
  term: NodeSelectorTerm,
  elsewhere: NonNullable<NodeSelectorTerm['matchFields']>,
): NodeSelectorTerm {
  const isEmpty = !term.matchExpressions?.length && !term.matchFields?.length
  return isEmpty ? term : { ...term, matchFields: [...(term.matchFields ?? []), ...elsewhere] }
}
