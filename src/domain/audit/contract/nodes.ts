import { placementRefusal } from '../../capacity/placement.ts'
import { isWhole, type NodeFact, type ScaleSetFact, type Snapshot } from '../../snapshot/index.ts'
import type { DeclaredLane } from './contract.ts'
import { type Difference, difference } from './difference.ts'

/** Declared nodes that are not there or never taken, and nodes that are taken without being declared. */
export function nodeDifferences(
  { nodes: allowed }: DeclaredLane,
  set: ScaleSetFact,
  { cluster }: Snapshot,
): readonly Difference[] {
  if (allowed.length === 0) return []
  const isAllowed = new Set(allowed)
  const known = new Map(cluster.nodes.items.map((node) => [node.name, node]))
  const others = cluster.nodes.items
    .filter((node) => !isAllowed.has(node.name) && lastingRefusal(set, node) === null)
    .map(({ name }) => name)
  return [
    ...allowed.flatMap((name) => ofDeclared(name, known.get(name), set, isWhole(cluster.nodes))),
    ...(others.length === 0
      ? []
      : difference('nodes', 'nodes', allowed.join(', '), `also ${others.join(', ')}`)),
  ]
}

/** Why a set's runners are never placed on a node, whatever its health is now. */
export function lastingRefusal({ template }: ScaleSetFact, node: NodeFact): string | null {
  // Taints by which the control plane marks a node's health come and go, and are part of no declaration.
  const taints = node.taints.filter(({ key }) => !key.startsWith('node.kubernetes.io/'))
  return placementRefusal(template, { ...node, isCordoned: false, conditions: [], taints })
}

function ofDeclared(
  name: string,
  node: NodeFact | undefined,
  set: ScaleSetFact,
  areAllKnown: boolean,
): readonly Difference[] {
  if (node === undefined) return areAllKnown ? difference('nodes', 'node', name, 'no node of that name') : []
  const refusal = lastingRefusal(set, node)
  return refusal === null ? [] : difference('nodes', 'node', name, `never placed there: ${refusal}`)
}
