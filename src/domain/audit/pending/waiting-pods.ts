import { isWhole, type PodFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { AuditInput } from '../audit.ts'
import { podFilter } from '../narrowing.ts'
import { causesOfPod } from './cause-of-pod.ts'
import type { PendingCause } from './classes.ts'
import { heldAbove, isPreemption, preemptionOf, pressureOn } from './priority.ts'

/** One pod and one reason why it does not run. A pod that lacks two resources is there twice. */
export interface WaitingPod {
  readonly cause: PendingCause
  readonly namespace: string
  readonly name: string
  readonly since: Instant | null
  readonly message: string
  /** Whether the cluster says it; otherwise it fits, and another reading is left. */
  readonly isStated: boolean
}

export interface WaitingPods {
  readonly waiting: readonly WaitingPod[]
  /** Pods about which only events could say more, and not all events were read. */
  readonly unclear: number
}

/** Every pod that waits, with its causes. */
export function waitingPods(input: AuditInput): WaitingPods {
  const { snapshot, joins, narrowed } = input
  const isAskedFor = podFilter(input)
  const { pods, events } = snapshot.cluster
  const held = heldAbove(pods.items)
  const waiting: WaitingPod[] = []
  let unclear = 0
  for (const pod of pods.items) {
    if (!isAskedFor(pod)) continue
    const preemption = preemptionOf(pod)
    if (preemption !== null) waiting.push(waitingPod(pod, 'priority-pressure', preemption))
    if (pod.phase !== 'Pending' || pod.deletedAt !== null) continue
    const about = joins.eventsBySubject.get(`Pod/${pod.namespace}/${pod.name}`) ?? []
    const found = causesOfPod(pod, isWhole(events) ? about : null, snapshot.takenAt)
    if (found === null) continue
    if (found.causes.length === 0) unclear += 1
    for (const cause of found.causes) {
      waiting.push(
        waitingPod(pod, cause, { message: found.message, isStated: cause !== 'start-unexplained' }),
      )
    }
    const pressure = pressureOn(pod, found, held)
    if (pressure !== null) waiting.push(waitingPod(pod, 'priority-pressure', pressure))
  }
  // An event does not say which node and labels a pod had that is gone.
  const isWide = narrowed.labels === null && narrowed.nodes === null && narrowed.runner === null
  return { waiting: isWide ? [...waiting, ...preempted(snapshot)] : waiting, unclear }
}

function waitingPod(
  { namespace, name, createdAt }: PodFact,
  cause: PendingCause,
  stated: Pick<WaitingPod, 'message' | 'isStated'>,
): WaitingPod {
  return { cause, namespace, name, since: createdAt, ...stated }
}

/** A pod that was preempted is soon gone; the event about it stays. */
function preempted({ cluster, takenAt }: AuditInput['snapshot']): WaitingPod[] {
  return cluster.events.items
    .filter((event) => isPreemption(event, takenAt))
    .map(({ namespace, subject, message, firstAt }) => ({
      cause: 'priority-pressure' as const,
      namespace,
      name: subject.name,
      since: firstAt,
      message,
      isStated: true,
    }))
}
