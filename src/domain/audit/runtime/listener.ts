import {
  isWhole,
  type ListenerFact,
  type PodFact,
  type ScaleSetFact,
  type Snapshot,
} from '../../snapshot/index.ts'
import { keyOf, type SnapshotJoins } from '../joins.ts'
import { type ArcLogs, type LogTrace, listenerErrorIn } from './arc-logs.ts'
import {
  listenerEndsMin,
  listenerFirstPodMs,
  listenerPendingMs,
  listenerYoungMs,
  startGraceMs,
} from './bounds.ts'
import { arePodsKnown } from './pods-known.ts'

/**
 * The state of a set's listener. Only `running` makes the job fields of runners reliable.
 * `starting`: too young to judge. `leaving`: ARC deletes it.
 */
export type ListenerStanding =
  | { readonly kind: 'running' | 'starting' | 'leaving' | 'pod-missing'; readonly listener: ListenerFact }
  | {
      readonly kind: 'looping' | 'not-ready'
      readonly listener: ListenerFact
      readonly pod: PodFact | null
      readonly ends: LogTrace | null
      readonly error: LogTrace | null
    }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string }

interface Facts {
  readonly snapshot: Snapshot
  readonly joins: SnapshotJoins
  readonly logs: ArcLogs
}

/**
 * The object has no status, and its pod is made again at every end with no restart counted: the pod's age and the log say
 * how it is. A listener that is missing as an object stands as one entry.
 */
export function listenerStandings(set: ScaleSetFact, facts: Facts): readonly ListenerStanding[] {
  const listeners = facts.joins.listenersBySet.get(keyOf(set)) ?? []
  if (listeners.length > 0) return listeners.map((listener) => standingOf(listener, facts))
  // Listeners live in the controller's namespace, which a narrowed snapshot may lack.
  const { cluster, scope } = facts.snapshot
  return isWhole(cluster.listeners) && scope.namespaces === null
    ? [{ kind: 'absent' }]
    : [{ kind: 'unknown', why: 'listeners could not be read' }]
}

function standingOf(listener: ListenerFact, facts: Facts): ListenerStanding {
  if (listener.deletedAt !== null) return { kind: 'leaving', listener }
  const pod = facts.joins.podByKey.get(keyOf(listener)) ?? null
  const { takenAt, cluster } = facts.snapshot
  const ends = facts.logs.trace('listener-ended', listener)
  const error = listenerErrorIn(facts.logs.ofListener(listener), takenAt)
  const hasEnded = (ends?.count ?? 0) >= listenerEndsMin
  if (pod !== null) return standingByPod({ listener, pod, ends, error }, hasEnded, facts)
  if (!arePodsKnown(facts.snapshot, listener.namespace))
    return { kind: 'unknown', why: 'pods could not be read' }
  if (hasEnded) return { kind: 'looping', listener, pod, ends, error }
  // Between two ends there is no pod either: without the log this could be one.
  if (!isWhole(cluster.logs)) return { kind: 'unknown', why: 'logs could not be read' }
  const isYoung = ageMs(listener, takenAt) < startGraceMs
  return isYoung ? { kind: 'starting', listener } : { kind: 'pod-missing', listener }
}

interface WithPod {
  readonly listener: ListenerFact
  readonly pod: PodFact
  readonly ends: LogTrace | null
  readonly error: LogTrace | null
}

function standingByPod(given: WithPod, hasEnded: boolean, { snapshot, logs }: Facts): ListenerStanding {
  const { listener, pod } = given
  const podAgeMs = ageMs(pod, snapshot.takenAt)
  if (isOver(pod)) return { kind: 'looping', ...given }
  if (pod.phase === 'Pending') {
    if (pullProblem(pod) !== null || podAgeMs >= startGraceMs) return { kind: 'not-ready', ...given }
    if (!hasEnded) return { kind: 'starting', listener }
    return { kind: podAgeMs < listenerPendingMs ? 'looping' : 'not-ready', ...given }
  }
  if (podAgeMs >= listenerYoungMs) return { kind: 'running', listener }
  if (hasEnded) return { kind: 'looping', ...given }
  // A young pod of an old listener is a drain or a crash loop: only the log says which.
  const isFirst = ageMs(listener, snapshot.takenAt) < podAgeMs + listenerFirstPodMs
  return isFirst || logs.isRead
    ? { kind: 'running', listener }
    : { kind: 'unknown', why: 'the controller’s log could not be read' }
}

/** How a set's listeners stand, in a word. */
export function kindsOf(standings: readonly ListenerStanding[]): string {
  return standings.map(({ kind }) => kind).join(', ')
}

function ageMs({ createdAt }: { readonly createdAt: number | null }, now: number): number {
  return createdAt === null ? 0 : now - createdAt
}

function isOver({ phase, statuses }: PodFact): boolean {
  return (
    phase === 'Failed' || phase === 'Succeeded' || statuses.some(({ state }) => state?.kind === 'terminated')
  )
}

const waitsForImage = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull'])

/** The kubelet's words where a container waits for its image. */
export function pullProblem({ statuses }: PodFact): string | null {
  for (const { state } of statuses) {
    if (state?.kind === 'waiting' && state.reason !== null && waitsForImage.has(state.reason)) {
      return state.message === null ? state.reason : `${state.reason}: ${state.message}`
    }
  }
  return null
}
