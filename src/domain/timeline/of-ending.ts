import type { ContainerEnd, Ending, PodCondition, PodEnd, PodEvent } from '../death/index.ts'
import { durationText } from '../format.ts'
import { entryAt, type TimelineEntry } from './entry.ts'

/** Of one that floods its events only the newest are shown. */
const eventsMax = 40

/** The host's view of a runner's life and end. */
export function endingEntries(ending: Ending | null): TimelineEntry[] {
  if (ending === null) return []
  const { pod } = ending
  if (pod === null) {
    return [
      ...entryAt(ending.startedAt, 'host', 'The program of the runner began.'),
      ...entryAt(ending.endedAt, 'host', `The runner ended: ${howEnded(ending.exitCode, ending.signal)}.`),
    ]
  }
  // A cluster's times are whole seconds: an effect is listed here below its cause, and the sort is stable.
  return [
    ...conditionEntries({ conditions: pod.conditions, node: pod.place.node }),
    ...entryAt(pod.deletedAt, 'cluster', 'Somebody asked that the pod goes.'),
    ...pod.events.slice(-eventsMax).flatMap(eventEntries),
    ...pod.containers.flatMap(containerEntries),
    ...nodeEntries(pod),
  ]
}

/** The end of a process in words. */
export function howEnded(exitCode: number | null, signal: string | number | null): string {
  if (signal !== null && signal !== 0) return `by ${typeof signal === 'number' ? `signal ${signal}` : signal}`
  return exitCode === null ? 'its exit code is not known' : `exit code ${exitCode}`
}

/** The life of a container, as far as its kubelet still says it. */
export function containerEntries(
  container: Pick<
    ContainerEnd,
    'name' | 'exitCode' | 'signal' | 'reason' | 'startedAt' | 'finishedAt' | 'earlier'
  >,
): TimelineEntry[] {
  const { name, exitCode, signal, reason, startedAt, finishedAt, earlier } = container
  return [
    ...entryAt(
      earlier?.finishedAt ?? null,
      'kubelet',
      `Container ${name} ended before: ${howEnded(earlier?.exitCode ?? null, earlier?.signal ?? null)}.`,
    ),
    ...entryAt(startedAt, 'kubelet', `Container ${name} began.`),
    ...entryAt(finishedAt, 'kubelet', containerEndText({ name, exitCode, signal, reason })),
  ]
}

export function containerEndText({
  name,
  exitCode,
  signal,
  reason,
}: Pick<ContainerEnd, 'name' | 'exitCode' | 'signal' | 'reason'>): string {
  const because = reason === null ? '' : ` (${reason})`
  return `Container ${name} ended: ${howEnded(exitCode, signal)}${because}.`
}

/** Being placed and being wanted away; the others repeat what the containers say. */
export function conditionEntries({
  conditions,
  node,
}: {
  readonly conditions: readonly PodCondition[]
  readonly node: string | null
}): TimelineEntry[] {
  return conditions.flatMap(({ type, status, reason, message, at }) => {
    if (type === 'PodScheduled' && status === 'True')
      return entryAt(at, 'cluster', `The pod was placed on ${node ?? 'a node'}.`)
    if (type !== 'DisruptionTarget' || status !== 'True') return []
    return entryAt(at, 'cluster', `The pod has to go (${reason ?? 'no reason is given'}): ${message ?? ''}`)
  })
}

/** One event of a cluster. */
export function eventEntries({ type, reason, message, count, firstAt, lastAt }: PodEvent): TimelineEntry[] {
  const spanMs = (lastAt ?? 0) - (firstAt ?? lastAt ?? 0)
  const often = count > 1 ? ` (${count} times${spanMs > 0 ? ` in ${durationText(spanMs)}` : ''})` : ''
  return entryAt(lastAt ?? firstAt, 'cluster', `${eventName({ type, reason })}: ${message}${often}`)
}

export function eventName({ type, reason }: Pick<PodEvent, 'type' | 'reason'>): string {
  return type === 'Warning' ? `Warning ${reason}` : reason
}

function nodeEntries({ nodeAtEnd, place }: PodEnd): TimelineEntry[] {
  if (nodeAtEnd === null) return []
  const node = place.node ?? 'its node'
  return [
    ...nodeAtEnd.conditions
      .filter(isBadCondition)
      .flatMap((condition) => entryAt(condition.at, 'cluster', nodeConditionText(node, condition))),
    ...nodeAtEnd.taints.flatMap(({ key, effect, at }) =>
      entryAt(at, 'cluster', `Node ${node} got the taint ${key} (${effect}).`),
    ),
  ]
}

/** Whether a condition of a node is a problem: of `Ready` its absence is. */
export function isBadCondition({ type, status }: Pick<PodCondition, 'type' | 'status'>): boolean {
  return (type === 'Ready') !== (status === 'True')
}

export function nodeConditionText(
  node: string,
  { type, status, reason }: Pick<PodCondition, 'type' | 'status' | 'reason'>,
): string {
  return `Node ${node}: ${type} is ${status}${reason === null ? '' : ` (${reason})`}.`
}
