import type { Instant } from '../../../../ports/clock.ts'
import type { HostNode } from '../../../../ports/runner-host.ts'
import { instantOf } from '../../client/index.ts'
import type { Condition, NodeObject } from '../objects/objects.ts'

/** The kubelet's messages where it cannot see its containers: their status is old then. */
const blind = /PLEG is not healthy|container runtime is down|runtime not responding/i

/** A node as the host shows it. */
export function hostNodeOf(node: NodeObject): HostNode {
  return {
    name: node.metadata.name,
    isReady: readyOf(node)?.status === 'True',
    isCordoned: node.isCordoned,
    pressures: node.conditions.filter(isPressure).map(({ type }) => type),
  }
}

/**
 * Since when nothing can be known of what runs on a node: its kubelet is silent, or does not see its containers.
 * A node that says of itself that it is not ready, for another reason, is not silent.
 */
export function nodeSilentSince(node: NodeObject): Instant | null {
  const ready = readyOf(node)
  if (ready === undefined || ready.status === 'True') return null
  const isBlind = ready.status === 'False' && blind.test(ready.message ?? '')
  return ready.status === 'Unknown' || isBlind ? (instantOf(ready.lastTransitionTime) ?? 0) : null
}

/** Whether a change of a node concerns the runners on it. */
export function isSameToRunners(a: NodeObject, b: NodeObject): boolean {
  return a.isCordoned === b.isCordoned && nodeSilentSince(a) === nodeSilentSince(b)
}

function readyOf({ conditions }: NodeObject): Condition | undefined {
  return conditions.find(({ type }) => type === 'Ready')
}

/** Every condition but readiness names something bad: pressures, and what a node's own watchers add. */
function isPressure({ type, status }: Condition): boolean {
  return type !== 'Ready' && status === 'True'
}
