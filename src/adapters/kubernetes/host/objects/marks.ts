import type { PodShape } from '../../../../domain/pool/index.ts'
import type { ClusterObject, ObjectMeta } from '../../../../ports/cluster.ts'
import { annotations, busyAnnotations, containers, evidenceFinalizer, labels } from '../../pods/index.ts'
import type { Interner } from './interner.ts'

export const runnerContainer = containers.runner
export const pollerContainer = containers.poller

/** Selects the pods of every runner in our namespace, whatever else a person has put there. */
export const runnerSelector = labels.runner

const labelNames = Object.values(labels)
const annotationNames = [...Object.values(annotations), ...Object.keys(busyAnnotations)]

type Marks = Readonly<Record<string, string>>

/** Of the labels of a pod, those that are read. */
export function keptLabels({ name, labels: given }: ObjectMeta, sharing: Interner): Marks {
  // Its name is its own; all else is that of many.
  return picked(given, labelNames, (value) => (value === name ? name : sharing.text(value)))
}

/** Of the annotations of a pod, those that are read. */
export function keptAnnotations(given: Marks | undefined): Marks {
  return picked(given, annotationNames)
}

export function poolOf(pod: ClusterObject): string {
  return pod.metadata.labels?.[labels.pool] ?? ''
}

/** A pod that does not say its shape is taken for the one of which less can be concluded. */
export function shapeOf(pod: ClusterObject): PodShape {
  return pod.metadata.labels?.[labels.shape] === 'isolated' ? 'isolated' : 'single'
}

export function templateMarkOf(pod: ClusterObject): string | null {
  return pod.metadata.labels?.[labels.template] ?? null
}

export function isProtectedPod(pod: ClusterObject): boolean {
  const given = pod.metadata.annotations ?? {}
  return Object.entries(busyAnnotations).every(([name, value]) => given[name] === value)
}

/**
 * Whether its marks say that it was made by this host as the runner that its name says. People may copy our labels onto their own pods, and
 * take marks off ours: a mark that says otherwise speaks against it, and of those that say so one is enough.
 */
export function isOursByMarks(pod: ClusterObject, hostId: string): boolean {
  const { name, labels: given = {}, annotations: notes = {}, finalizers = [] } = pod.metadata
  if ((given[labels.runner] ?? name) !== name) return false
  const host = notes[annotations.host]
  return host === undefined ? finalizers.includes(evidenceFinalizer) : host === hostId
}

function picked(given: Marks | undefined, names: readonly string[], as = (value: string) => value): Marks {
  const kept: Record<string, string> = {}
  for (const name of names) {
    const value = given?.[name]
    if (value !== undefined) kept[name] = as(value)
  }
  return kept
}
