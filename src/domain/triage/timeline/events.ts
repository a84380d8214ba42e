import type { EventFact, Snapshot } from '../../snapshot/index.ts'
import type { TriageCase } from '../case.ts'

/** The name that runner and pod share; null where no fact has one. */
export function runnerNameIn({ job, runner, pod, forgeRunner }: TriageCase): string | null {
  return pod?.name ?? runner?.name ?? job?.runnerName ?? forgeRunner?.name ?? null
}

/** Namespaces in which its pod is or was: its own, and those of the sets that may have made it. */
export function namespacesOf({ runner, pod, sets }: TriageCase): ReadonlySet<string> {
  const own = [runner, pod].flatMap((each) => (each === null ? [] : [each.namespace]))
  return new Set([...own, ...sets.map(({ namespace }) => namespace)])
}

/** Events about its pod, also one that is gone, and about the node of the pod. */
export function eventsOf(found: TriageCase, { cluster }: Snapshot): readonly EventFact[] {
  const name = runnerNameIn(found)
  const namespaces = namespacesOf(found)
  const node = found.pod?.node ?? null
  return cluster.events.items.filter(({ subject, namespace }) =>
    subject.kind === 'Node'
      ? subject.name === node
      : subject.name === name && namespaces.has(namespace) && podKinds.has(subject.kind),
  )
}

const podKinds: ReadonlySet<string> = new Set(['Pod', 'EphemeralRunner'])
