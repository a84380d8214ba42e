import type { AuditScope } from './audit.ts'
import type { FindingSubject } from './finding.ts'
import { keyOf, type SnapshotJoins } from './joins.ts'

/** The whole fleet. */
export const wholeScope: AuditScope = { labels: null, namespaces: null, nodes: null, runner: null }

/**
 * Whether a subject may be in the part that was asked for. Only one that is known to lie elsewhere is left out: a
 * credential stays under `--label`, since it may be the cause.
 */
export function subjectFilter(
  { labels, namespaces, nodes, runner }: AuditScope,
  joins: SnapshotJoins,
): (subject: FindingSubject) => boolean {
  const filters: ((subject: FindingSubject) => boolean)[] = []
  if (namespaces !== null) filters.push(namespaceFilter(namespaces, joins))
  if (nodes !== null) filters.push((subject) => [...nodes, null].includes(nodeOf(subject, joins)))
  if (runner !== null) filters.push((subject) => !isRunner(subject) || subject.name === runner)
  if (labels !== null) filters.push(labelFilter(labels, joins))
  return (subject) => filters.every((isInside) => isInside(subject))
}

/** Listeners stand in the controller's namespace, and belong to the one of their set. */
function namespaceFilter(
  wanted: readonly string[],
  joins: SnapshotJoins,
): (subject: FindingSubject) => boolean {
  const listeners = new Set(
    [...joins.listenersBySet.values()]
      .flat()
      .filter(({ scaleSet }) => wanted.includes(scaleSet.namespace))
      .map(keyOf),
  )
  return ({ namespace, name }) =>
    namespace === null || wanted.includes(namespace) || listeners.has(keyOf({ namespace, name }))
}

/** Null where the subject is on no node, or its node is not known. */
function nodeOf(subject: FindingSubject, joins: SnapshotJoins): string | null {
  const { kind, namespace, name } = subject
  if (kind === 'node') return name
  if (!isRunner(subject) || namespace === null) return null
  return joins.podByKey.get(keyOf({ namespace, name }))?.node ?? null
}

/** A runner and its pod have one name. */
function isRunner({ kind }: FindingSubject): boolean {
  return kind === 'runner' || kind === 'pod'
}

function labelFilter(labels: readonly string[], joins: SnapshotJoins): (subject: FindingSubject) => boolean {
  const sets = new Set(labels.flatMap((label) => joins.setsByLabel.get(label) ?? []).map(keyOf))
  const strangers = new Set<string>()
  for (const [set, runners] of joins.runnersBySet)
    if (!sets.has(set)) for (const runner of runners) strangers.add(keyOf(runner))
  for (const [set, listeners] of joins.listenersBySet)
    if (!sets.has(set)) for (const listener of listeners) strangers.add(keyOf(listener))
  return ({ kind, namespace, name }) => {
    if (kind === 'label') return labels.includes(name)
    if (namespace === null) return true
    return kind === 'scale-set'
      ? sets.has(keyOf({ namespace, name }))
      : !strangers.has(keyOf({ namespace, name }))
  }
}
