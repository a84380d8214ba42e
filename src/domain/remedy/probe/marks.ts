import type { ObjectRef, PodFact } from '../../snapshot/index.ts'
import { type ProbeKind, probeKinds } from './facts.ts'

/** On every pod of a probe; its value is the kind. */
export const probeLabel = 'holdfast.dev/probe'
export const probeIdAnnotation = 'holdfast.dev/probe-id'
export const probeDeadlineAnnotation = 'holdfast.dev/probe-deadline-seconds'

interface ProbeMarks {
  readonly kind: ProbeKind
  readonly id: string
  readonly deadlineSeconds: number
}

/** The place of a kind's pod next to a lane's runners. Rights to read and delete pods can be narrowed to these names. */
export function probePlace(kind: ProbeKind, namespace: string): ObjectRef {
  return { namespace, name: `holdfast-probe-${kind}` }
}

/** How a pod is known as one of ours; null: it is none, whatever its name is. */
export function probeMarks({ name, labels, annotations, owner }: PodFact): ProbeMarks | null {
  const kind = probeKinds.find((each) => each === labels[probeLabel])
  const id = annotations[probeIdAnnotation]
  const deadlineSeconds = Number(annotations[probeDeadlineAnnotation])
  if (kind === undefined || id === undefined || owner !== null) return null
  const isNamed = name === probePlace(kind, '').name
  return isNamed && deadlineSeconds > 0 ? { kind, id, deadlineSeconds } : null
}
