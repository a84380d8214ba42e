import type { Clock } from '../../ports/clock.ts'
import { collectionPath } from './paths.ts'
import type { Wire } from './transport/send.ts'

const events = { group: '', version: 'v1', plural: 'events', kind: 'Event', isNamespaced: true }
/** Repeated ones are counted in one event: a pod with more of them is one that somebody floods. */
const EVENTS_READ_MAX = 100

export interface EventsOrder {
  readonly namespace: string
  readonly podUid: string
  readonly deadlineMs: number
}

export interface EventsRead {
  /** As the API gives them. */
  readonly items: readonly Readonly<Record<string, unknown>>[]
  /** Whether there are more than are ever read. */
  readonly isMore: boolean
}

/** What parts of the cluster said about pods. */
export interface PodEvents {
  /** One read of those that the cluster still has about a pod; throws where they do not come in time. */
  about(order: EventsOrder, signal: AbortSignal): Promise<EventsRead>
}

export function createPodEvents(wire: Wire, clock: Pick<Clock, 'after'>): PodEvents {
  return {
    async about({ namespace, podUid, deadlineMs }, signal) {
      const query = { fieldSelector: `involvedObject.uid=${podUid}`, limit: EVENTS_READ_MAX }
      const path = collectionPath(events, namespace)
      const overdue = new AbortController()
      const cancel = clock.after(deadlineMs, () =>
        overdue.abort(new Error(`they did not come within ${deadlineMs} ms`)),
      )
      try {
        const request = { method: 'GET', path, query, timeoutMs: deadlineMs } as const
        const { body } = await wire.send(request, AbortSignal.any([signal, overdue.signal]))
        return readOf(body)
      } finally {
        cancel()
      }
    },
  }
}

function readOf(body: unknown): EventsRead {
  const { items, metadata } = (body ?? {}) as { items?: unknown; metadata?: { continue?: unknown } }
  const all: unknown[] = Array.isArray(items) ? items : []
  const isMore = typeof metadata?.continue === 'string' && metadata.continue !== ''
  return { items: all.slice(0, EVENTS_READ_MAX).filter(isObject), isMore }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
