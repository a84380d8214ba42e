import type { NodeAtEnd, PodCondition, PodEnd, PodEvent } from '../../../../domain/death/index.ts'
import type { StartProblem } from '../../../../domain/pool/index.ts'
import { parseQuantity } from '../../../../domain/quantity.ts'
import { redactText } from '../../../../domain/redact/index.ts'
import type { Instant } from '../../../../ports/clock.ts'
import { instantOf } from '../../client/index.ts'
import { annotations } from '../../pods/index.ts'
import type { Condition, NodeObject, RunnerPod, Terminated } from '../objects/objects.ts'
import { leavingSinceOf } from '../status/runner-status.ts'
import { containerEnds } from './container-end.ts'

/** Any part of a cluster may add conditions and taints of its own. */
const conditionsMax = 30
const taintsMax = 20
const volumesMax = 20
const messageCharsMax = 300
const wordCharsMax = 200

/** The facts about a pod's end that are not in its object. */
export interface EndContext {
  readonly startProblem: StartProblem | null
  readonly silentSince: Instant | null
  readonly events: readonly PodEvent[]
  readonly nodeAtEnd: NodeAtEnd | null
  /** The output of containers, by name. */
  readonly tails: ReadonlyMap<string, string>
  /** How containers that were begun again had ended, by their name, as was seen while the pod lived. */
  readonly earlierEnds?: ReadonlyMap<string, Terminated>
}

/** The evidence of a cluster about a pod's end. */
export function podEndOf(pod: RunnerPod, context: EndContext): PodEnd {
  const { startProblem, silentSince, events, nodeAtEnd, tails, earlierEnds } = context
  const { metadata, spec, status } = pod
  const target = disruptionOf(pod)
  const silence =
    silentSince === null ? null : `its node is silent since ${new Date(silentSince).toISOString()}`
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
    trouble: startProblem,
    deletedAt: deletionAskedAt(pod, events),
    conditions: status.conditions.slice(0, conditionsMax).map(conditionEnd),
    events,
    nodeAtEnd,
    bootIdAtStart: metadata.annotations?.[annotations.bootId]?.slice(0, wordCharsMax) ?? null,
    containers: containerEnds(pod, tails, earlierEnds),
    memoryVolumes: spec.memoryVolumes.slice(0, volumesMax).map(({ name, sizeLimit }) => ({
      name: name.slice(0, wordCharsMax),
      sizeLimitBytes: parseQuantity(sizeLimit),
    })),
    owners: pod.owners.map(({ kind, name }) => ({
      kind: kind.slice(0, wordCharsMax),
      name: name.slice(0, wordCharsMax),
    })),
  }
}

/**
 * When somebody asked that it goes. Once its containers have ended, a kubelet deletes a pod that something holds with a
 * grace of 0, and its time of deletion stays that of the end of the grace it had: then the kubelet's word that it
 * stops a container is the earlier one.
 */
function deletionAskedAt(pod: RunnerPod, events: readonly PodEvent[]): Instant | null {
  const leaving = leavingSinceOf(pod)
  if (leaving === null) return null
  const stopped = events.flatMap(({ reason, message, firstAt }) =>
    reason === 'Killing' && message.startsWith('Stopping container') ? (firstAt ?? []) : [],
  )
  return Math.min(leaving, ...stopped)
}

/** The condition that says which part of the cluster disrupted a pod. */
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
    conditions: node.conditions.slice(0, conditionsMax).map(conditionEnd),
    taints: node.taints.slice(0, taintsMax).map(({ key, value, effect, timeAdded }) => ({
      key: key.slice(0, wordCharsMax),
      value: value?.slice(0, wordCharsMax) ?? null,
      effect: effect.slice(0, wordCharsMax),
      at: instantOf(timeAdded),
    })),
  }
}

function conditionEnd({ type, status, reason, message, lastTransitionTime }: Condition): PodCondition {
  return {
    type: type.slice(0, wordCharsMax),
    status: status.slice(0, wordCharsMax),
    reason: reason?.slice(0, wordCharsMax) ?? null,
    message: message === undefined ? null : redactText(message, messageCharsMax),
    at: instantOf(lastTransitionTime),
  }
}
