import type { NodeAtEnd, PodCondition, PodEnd, PodEvent } from '../../../domain/death/index.ts'
import type { Trouble } from '../../../domain/pool/index.ts'
import { redactText } from '../../../domain/redact/index.ts'
import type { Instant } from '../../../ports/clock.ts'
import { annotations } from '../pods/names.ts'
import { containerEnds } from './container-end.ts'
import type { Condition, NodeObject, RunnerPod, Terminated } from './objects.ts'
import { quantityOf } from './quantity.ts'
import { leavingSinceOf } from './read-pod.ts'
import { instantOf } from './times.ts'

/** Any part of a cluster may add conditions and taints of its own. */
const CONDITIONS_MAX = 30
const TAINTS_MAX = 20
const VOLUMES_MAX = 20
const MESSAGE_CHARS_MAX = 300
const WORD_CHARS_MAX = 200

/** What of a pod's end is not in its object. */
export interface Beside {
  readonly trouble: Trouble | null
  readonly silentSince: Instant | null
  readonly events: readonly PodEvent[]
  readonly nodeAtEnd: NodeAtEnd | null
  /** What containers wrote, by their name. */
  readonly tails: ReadonlyMap<string, string>
  /** How containers that were begun again had ended, by their name, as was seen while the pod lived. */
  readonly earlierEnds?: ReadonlyMap<string, Terminated>
}

/** What a cluster says about a pod's end. */
export function podEndOf(pod: RunnerPod, beside: Beside): PodEnd {
  const { trouble, silentSince, events, nodeAtEnd, tails, earlierEnds } = beside
  const { metadata, spec, status } = pod
  const target = disruptionOf(pod)
  const silence =
    silentSince === null
      ? null
      : `nothing is heard from its node since ${new Date(silentSince).toISOString()}`
  return {
    place: {
      namespace: metadata.namespace ?? '',
      pod: metadata.name,
      uid: metadata.uid,
      node: spec.nodeName ?? null,
    },
    phase: status.phase,
    reason: status.reason ?? (silence === null ? null : 'NodeLost'),
    message: status.message ?? silence,
    disruption: target === undefined ? null : { reason: target.reason ?? '', message: target.message ?? '' },
    trouble,
    deletedAt: askedToGoAt(pod, events),
    conditions: status.conditions.slice(0, CONDITIONS_MAX).map(conditionEnd),
    events,
    nodeAtEnd,
    bootIdAtStart: metadata.annotations?.[annotations.bootId]?.slice(0, WORD_CHARS_MAX) ?? null,
    containers: containerEnds(pod, tails, earlierEnds),
    memoryVolumes: spec.memoryVolumes.slice(0, VOLUMES_MAX).map(({ name, sizeLimit }) => ({
      ...{ name: name.slice(0, WORD_CHARS_MAX), sizeLimitBytes: quantityOf(sizeLimit) },
    })),
    owners: pod.owners.map(({ kind, name }) => ({
      ...{ kind: kind.slice(0, WORD_CHARS_MAX), name: name.slice(0, WORD_CHARS_MAX) },
    })),
  }
}

/**
 * When somebody asked that it goes. Once its containers have ended, a kubelet deletes a pod that something holds with a
 * grace of 0, and its time of deletion stays that of the end of the grace it had: then the kubelet's word that it
 * stops a container is the earlier one.
 */
function askedToGoAt(pod: RunnerPod, events: readonly PodEvent[]): Instant | null {
  const leaving = leavingSinceOf(pod)
  if (leaving === null) return null
  const stopped = events.flatMap(({ reason, message, firstAt }) =>
    reason === 'Killing' && message.startsWith('Stopping container') ? (firstAt ?? []) : [],
  )
  return Math.min(leaving, ...stopped)
}

/** Who wanted it to go, where the cluster says so. */
export function disruptionOf({ status }: RunnerPod): Condition | undefined {
  return status.conditions.find(({ type, status: is }) => type === 'DisruptionTarget' && is === 'True')
}

/** How a node is now; undefined: the cluster knows no such node. */
export function nodeEndOf(node: NodeObject | undefined): NodeAtEnd {
  if (node === undefined) return { isGone: true, isCordoned: false, conditions: [], taints: [] }
  return {
    isGone: false,
    isCordoned: node.isCordoned,
    bootId: node.bootId,
    conditions: node.conditions.slice(0, CONDITIONS_MAX).map(conditionEnd),
    taints: node.taints.slice(0, TAINTS_MAX).map(({ key, value, effect, timeAdded }) => ({
      ...{ key: key.slice(0, WORD_CHARS_MAX), value: value?.slice(0, WORD_CHARS_MAX) ?? null },
      ...{ effect: effect.slice(0, WORD_CHARS_MAX), at: instantOf(timeAdded) },
    })),
  }
}

function conditionEnd({ type, status, reason, message, lastTransitionTime }: Condition): PodCondition {
  return {
    ...{ type: type.slice(0, WORD_CHARS_MAX), status: status.slice(0, WORD_CHARS_MAX) },
    reason: reason?.slice(0, WORD_CHARS_MAX) ?? null,
    message: message === undefined ? null : redactText(message, MESSAGE_CHARS_MAX),
    at: instantOf(lastTransitionTime),
  }
}
