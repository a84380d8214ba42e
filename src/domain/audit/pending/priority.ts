import { added, podAmounts } from '../../capacity/requests.ts'
import type { Amounts, EventFact, PodFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import { isPreemptionRefused } from '../scheduler-message.ts'
import type { PodCauses } from './cause-of-pod.ts'
import type { PendingCause } from './classes.ts'

/** The largest priority that users may give; above it stand the pods of the system, which are on every node. */
const userPriorityMax = 1_000_000_000
/** An event about a preemption says something about now for as long as Kubernetes keeps events by default. */
const preemptedWithinMs = 60 * 60_000
/** The resource that a pod lacks, by the cause; with an extended one, any that only some nodes have. */
const lacking: Readonly<Partial<Record<PendingCause, (resource: string) => boolean>>> = {
  'insufficient-cpu': (resource) => resource === 'cpu',
  'insufficient-memory': (resource) => resource === 'memory',
  'insufficient-ephemeral-storage': (resource) => resource === 'ephemeral-storage',
  'insufficient-extended-resource': (resource) => resource.includes('/'),
  'too-many-pods': (resource) => resource === 'pods',
}

export interface PriorityPressure {
  readonly message: string
  /** Whether the cluster itself says it; otherwise priorities only fit. */
  readonly isStated: boolean
}

/** The amounts that users' pods of more than a priority hold, for each node where there are any. */
export type HeldAbove = (priority: number) => readonly Amounts[]

export function heldAbove(pods: readonly PodFact[]): HeldAbove {
  const placed = pods.filter(
    ({ node, phase, priority }) =>
      node !== null && phase !== 'Succeeded' && phase !== 'Failed' && (priority ?? 0) <= userPriorityMax,
  )
  const known = new Map<number, readonly Amounts[]>()
  return (priority) => {
    const held = known.get(priority) ?? heldByNode(placed.filter((pod) => (pod.priority ?? 0) > priority))
    known.set(priority, held)
    return held
  }
}

function heldByNode(pods: readonly PodFact[]): readonly Amounts[] {
  const groups = Map.groupBy(pods, ({ node }) => node)
  return [...groups.values()].map((group) => group.map(amountsOf).reduce(added))
}

function amountsOf(pod: PodFact): Amounts {
  return { ...podAmounts(pod).requests, pods: 1 }
}

/** Whether a pod that finds no room stands behind pods of higher priority, which hold as much on one node. */
export function pressureOn(
  pod: PodFact,
  { causes, message }: PodCauses,
  held: HeldAbove,
): PriorityPressure | null {
  const lacks = causes.flatMap((cause) => lacking[cause] ?? [])
  if (lacks.length === 0) return null
  if (isPreemptionRefused(message)) return { message, isStated: true }
  const own = pod.priority ?? 0
  const asked = Object.entries(amountsOf(pod)).filter(([resource]) => lacks.some((isIt) => isIt(resource)))
  const isHeld = held(own).some((amounts) => asked.every(([name, amount]) => (amounts[name] ?? 0) >= amount))
  if (asked.length === 0 || !isHeld) return null
  const text = `its priority is ${own}; pods of a higher one hold as much as it asks for on one node`
  return { message: text, isStated: false }
}

/** The scheduler's mark on a pod that had to make room; null where it has none. */
export function preemptionOf({ conditions }: PodFact): PriorityPressure | null {
  const mark = conditions.find(
    ({ type, status, reason }) =>
      type === 'DisruptionTarget' && status === 'True' && reason === 'PreemptionByScheduler',
  )
  return mark === undefined ? null : { message: mark.message ?? 'preempted by the scheduler', isStated: true }
}

/** Whether an event says that a pod was preempted a short time ago. */
export function isPreemption({ reason, subject, lastAt }: EventFact, now: Instant): boolean {
  return (
    reason === 'Preempted' && subject.kind === 'Pod' && lastAt !== null && now - lastAt <= preemptedWithinMs
  )
}
