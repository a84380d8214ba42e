import type { PodFact } from '../snapshot/index.ts'
import type { AuditInput } from './audit.ts'
import { keyOf, setOfPod } from './joins.ts'

/**
 * Whether a pod is in the part that the user asked for. Under labels, that of a runner or listener of their sets is, and
 * no other.
 */
export function podFilter({ narrowed, joins }: AuditInput): (pod: PodFact) => boolean {
  const { labels, namespaces, nodes, runner } = narrowed
  const sets =
    labels === null ? null : new Set(labels.flatMap((label) => joins.setsByLabel.get(label) ?? []).map(keyOf))
  const listeners = new Set(
    [...(sets ?? [])].flatMap((set) => joins.listenersBySet.get(set) ?? []).map(keyOf),
  )
  return (pod) =>
    (namespaces === null || namespaces.includes(pod.namespace)) &&
    (nodes === null || pod.node === null || nodes.includes(pod.node)) &&
    (runner === null || pod.name === runner) &&
    (sets === null || sets.has(setOfPod(joins, pod) ?? '') || listeners.has(keyOf(pod)))
}
