import { placementRefusal, podAmounts } from '../../capacity/index.ts'
import type { NodeFact, ScaleSetFact } from '../../snapshot/index.ts'

export interface LaneLimit {
  readonly set: ScaleSetFact
  readonly limitBytes: number
}

/**
 * Finds the scale set with the largest limit of ephemeral storage that a node takes; null where none has a limit. Sets with
 * the same placement are one, so that the work grows with the nodes and not with the sets.
 */
export function largestLane(sets: readonly ScaleSetFact[]): (node: NodeFact) => LaneLimit | null {
  const byPlacement = new Map<string, LaneLimit>()
  for (const set of sets) {
    const limitBytes = podAmounts(set.template).limits['ephemeral-storage'] ?? 0
    const { nodeSelector, tolerations, nodeAffinity } = set.template
    const key = JSON.stringify([nodeSelector, tolerations, nodeAffinity])
    if (limitBytes > (byPlacement.get(key)?.limitBytes ?? 0)) byPlacement.set(key, { set, limitBytes })
  }
  const largestFirst = [...byPlacement.values()].sort((a, b) => b.limitBytes - a.limitBytes)
  return (node) => largestFirst.find(({ set }) => placementRefusal(set.template, node) === null) ?? null
}
