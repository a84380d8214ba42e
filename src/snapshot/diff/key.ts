import { isRecord } from '../../domain/is-record.ts'

/** Fields that identify the items of a list; objects of Kubernetes by namespace and name. */
const identities: Readonly<Record<string, readonly string[]>> = {
  'cluster.nodeUsage': ['node'],
  'cluster.nodeSettings': ['node'],
  'cluster.nodeProbes': ['node'],
  'cluster.events': ['subject.kind', 'namespace', 'subject.name', 'reason'],
  'cluster.storageCapacity': ['storageClass', 'nodeLabels'],
  'cluster.logs': ['pod.namespace', 'pod.name', 'container'],
  'cluster.runnerLogs': ['pod.namespace', 'pod.name', 'container'],
  'forge.runners': ['scope', 'name'],
  'forge.jobs': ['repository', 'jobId', 'runAttempt'],
  'forge.logs': ['repository', 'jobId'],
  'forge.budgets': ['credential'],
}
const ofObjects = ['namespace', 'name']

/** The items of a list by their names for people; the second of a name has a number. */
export function keyed(list: string, items: readonly object[]): ReadonlyMap<string, object> {
  const paths = (identities[list] ?? ofObjects).map((path) => path.split('.'))
  const counts = new Map<string, number>()
  const byName = new Map<string, object>()
  for (const item of items) {
    const name = paths
      .map((path) => textAt(item, path))
      .filter((part) => part !== '')
      .join('/')
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    byName.set(count === 1 ? name : `${name} (${count})`, item)
  }
  return byName
}

function textAt(item: unknown, path: readonly string[]): string {
  const value = path.reduce<unknown>((here, step) => (isRecord(here) ? here[step] : undefined), item)
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
