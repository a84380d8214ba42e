import type { ContainerStatusFact, EventFact, PodFact } from '../../snapshot/index.ts'
import {
  conditionEntries,
  containerEndText,
  containerEntries,
  entryAt,
  eventEntries,
  eventName,
  type TimelineEntry,
} from '../../timeline/index.ts'
import { containerOf } from './container.ts'
import { type Anchor, rowsAfter, type TimelineCaseRow, type UndatedFact } from './row.ts'

/** The life of a pod, without its containers. */
export function podRows(pod: PodFact | null): readonly TimelineCaseRow[] {
  if (pod === null) return []
  return [
    ...rowsAfter(entryAt(pod.createdAt, 'cluster', 'The pod was made.')),
    ...rowsAfter(
      [...conditionEntries(pod), ...entryAt(pod.startedAt, 'kubelet', 'The kubelet took the pod.')],
      [podMade(pod)],
    ),
  ]
}

/** The API server adds the grace of a pod to the time at which it was asked for: this one may lie in the future. */
export function deletionRows(pod: PodFact | null): readonly TimelineCaseRow[] {
  const text = 'Somebody asked that the pod goes, at this time or up to its grace before.'
  return rowsAfter(entryAt(pod?.deletedAt ?? null, 'cluster', text))
}

export function containerRows(pod: PodFact | null): readonly TimelineCaseRow[] {
  if (pod === null) return []
  const entries = pod.statuses.flatMap((status) => containerEntries(containerOf(status)))
  return rowsAfter(entries, [podMade(pod)])
}

/** Nothing of a pod was before it. */
export function podMade(pod: PodFact | null): Anchor {
  return { at: pod?.createdAt ?? null, what: 'its pod was made' }
}

/** The phase of a pod, and the containers whose state has no time. */
export function podUndated(pod: PodFact | null): readonly UndatedFact[] {
  if (pod === null) return []
  const detail = [pod.reason, pod.message].filter((each) => each !== null && each !== '').join(': ')
  return [
    { source: 'cluster', text: `The pod is ${pod.phase}${detail === '' ? '.' : `: ${detail}`}` },
    ...pod.statuses.flatMap(containerUndated).map((text): UndatedFact => ({ source: 'kubelet', text })),
  ]
}

/** Events by time; one that came again and again has a row for its first time, too. */
export function eventRows(events: readonly EventFact[], pod: PodFact | null): readonly TimelineCaseRow[] {
  return events.toSorted(byContent).flatMap((event) => {
    const isOfOther = isOfOtherPod(event, pod)
    return rowsAfter(entriesOf(event)).map((row) =>
      isOfOther ? { ...row, mark: 'of another pod of this name' } : row,
    )
  })
}

export function eventUndated(events: readonly EventFact[]): readonly UndatedFact[] {
  return events
    .filter(({ firstAt, lastAt }) => firstAt === null && lastAt === null)
    .map((event) => ({ source: 'cluster', text: `${eventName(event)}: ${event.message}` }))
}

function containerUndated(status: ContainerStatusFact): string[] {
  const { name, state } = status
  if (state?.kind === 'terminated' && state.finishedAt === null)
    return [containerEndText(containerOf(status))]
  if (state?.kind !== 'waiting') return []
  const detail = [state.reason, state.message].filter((each) => each !== null && each !== '').join(': ')
  return [`Container ${name} is waiting${detail === '' ? '' : ` (${detail})`}.`]
}

function entriesOf(event: EventFact): TimelineEntry[] {
  const { count, firstAt, lastAt } = event
  const isRepeated = count > 1 && firstAt !== null && lastAt !== null && firstAt < lastAt
  return [
    ...(isRepeated
      ? entryAt(firstAt, 'cluster', `${eventName(event)}: the first of ${count} such events.`)
      : []),
    ...eventEntries(event),
  ]
}

/** A runner whose pod failed gets another pod of the same name. */
function isOfOtherPod({ subject }: EventFact, pod: PodFact | null): boolean {
  return pod !== null && subject.kind === 'Pod' && subject.name === pod.name && subject.uid !== null
    ? subject.uid !== pod.uid
    : false
}

/** Lists of events have no order of their own. */
function byContent(a: EventFact, b: EventFact): number {
  return compare(a.reason, b.reason) || compare(a.message, b.message) || (a.firstAt ?? 0) - (b.firstAt ?? 0)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
