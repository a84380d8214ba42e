import { type FindingSubject, keyOf } from '../audit/index.ts'
import type { TriageCase } from './case.ts'

/** Whether a finding about this subject bears on the case: itself, or what it depends on. */
export function concerns(found: TriageCase): (subject: FindingSubject) => boolean {
  const { job, runner, pod, sets, listeners } = found
  const names = new Set<string>()
  const add = (kind: string, namespace: string | null, name: string | null): void => {
    if (name !== null) names.add(idOf({ kind, namespace, name }))
  }
  for (const each of [runner, pod]) {
    if (each === null) continue
    for (const kind of ['runner', 'pod']) add(kind, each.namespace, each.name)
    add('namespace', each.namespace, each.namespace)
  }
  for (const set of sets) {
    add('scale-set', set.namespace, set.name)
    add('namespace', set.namespace, set.namespace)
    for (const kind of ['credential', 'secret']) add(kind, set.namespace, set.credentialSecret)
    for (const label of set.runnerLabels) add('label', null, label)
  }
  for (const listener of listeners) {
    add('listener', listener.namespace, listener.name)
    add('secret', listener.namespace, listener.credentialSecret)
  }
  for (const label of job?.labels ?? []) add('label', null, label)
  if (job !== null) add('job', null, `${job.repository}#${job.jobId}`)
  if (job !== null) add('repository', null, job.repository)
  add('node', null, pod?.node ?? null)
  const quotaNamespaces = new Set(sets.map(({ namespace }) => namespace))
  return (subject) =>
    names.has(idOf(subject)) ||
    (subject.kind === 'quota' && subject.namespace !== null && quotaNamespaces.has(subject.namespace))
}

function idOf({ kind, namespace, name }: FindingSubject): string {
  return `${kind} ${namespace === null ? name : keyOf({ namespace, name })}`
}
