import type { Clock } from '../../ports/clock.ts'
import { type EventReads, type EventsRead, type PodEvents, readTogether } from './events-together.ts'
import { collectionPath } from './paths.ts'
import type { Wire } from './transport/send.ts'

export type { EventsOrder, EventsRead, PodEvents } from './events-together.ts'

const events = { group: '', version: 'v1', plural: 'events', kind: 'Event', isNamespaced: true }
/** Repeated ones are counted in one event: a pod with more of them is one that somebody floods. */
const EVENTS_READ_MAX = 100
/** Of a namespace at a time, so that reading them holds up nobody for long. */
const PAGE_EVENTS = 500
/** In a namespace with more of them it is cheaper to ask for one pod after another. */
const PAGES_MAX = 20

/** Reads events of the cluster; several at once together. */
export function createPodEvents(wire: Wire, clock: Pick<Clock, 'after'>): PodEvents {
  return readTogether(eventReads(wire), clock)
}

/** Reads what is still told of pods of one name, also of those that are gone and whose UID nobody knows. */
export type NamedEvents = (
  order: { readonly namespace: string; readonly pod: string; readonly deadlineMs: number },
  signal: AbortSignal,
) => Promise<EventsRead>

export function createNamedEvents(wire: Wire): NamedEvents {
  const page = pages(wire)
  return async ({ namespace, pod, deadlineMs }, signal) => {
    const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${pod}`
    const { items, next } = await page(
      namespace,
      { fieldSelector, limit: EVENTS_READ_MAX },
      deadlineMs,
      signal,
    )
    return { items: items.slice(0, EVENTS_READ_MAX), isMore: next !== undefined }
  }
}

function eventReads(wire: Wire): EventReads {
  const page = pages(wire)
  return {
    async one(namespace, podUid, deadlineMs, signal) {
      // The server goes through its store in steps of the limit: a larger one is answered sooner.
      const query = { fieldSelector: `involvedObject.uid=${podUid}`, limit: PAGE_EVENTS }
      const { items, next } = await page(namespace, query, deadlineMs, signal)
      const { isMore, ...read } = bounded(items)
      return { ...read, isMore: isMore || next !== undefined }
    },
    async many(namespace, podUids, deadlineMs, signal) {
      const found = new Map(podUids.map((uid) => [uid, [] as Item[]]))
      let next: string | undefined
      for (let pages = 0; pages < PAGES_MAX; pages += 1) {
        const query = { fieldSelector: 'involvedObject.kind=Pod', limit: PAGE_EVENTS, continue: next }
        const read = await page(namespace, query, deadlineMs, signal)
        for (const item of read.items) found.get(uidOf(item))?.push(item)
        next = read.next
        if (next === undefined) return new Map([...found].map(([uid, items]) => [uid, bounded(items)]))
      }
      return 'too-many'
    },
  }
}

function pages(wire: Wire) {
  return async (namespace: string, query: Query, timeoutMs: number, signal: AbortSignal) => {
    const path = collectionPath(events, namespace)
    const { body } = await wire.send({ method: 'GET', path, query, timeoutMs }, signal)
    return pageOf(body)
  }
}

type Query = Readonly<Record<string, string | number | undefined>>
type Item = EventsRead['items'][number]

function pageOf(body: unknown): { readonly items: readonly Item[]; readonly next: string | undefined } {
  const { items, metadata } = (body ?? {}) as { items?: unknown; metadata?: { continue?: unknown } }
  const all: unknown[] = Array.isArray(items) ? items : []
  const next = metadata?.continue
  return { items: all.filter(isObject), next: typeof next === 'string' && next !== '' ? next : undefined }
}

function uidOf({ involvedObject }: Item): string {
  const uid = isObject(involvedObject) ? involvedObject.uid : undefined
  return typeof uid === 'string' ? uid : ''
}

function bounded(items: readonly Item[]): EventsRead {
  return { items: items.slice(0, EVENTS_READ_MAX), isMore: items.length > EVENTS_READ_MAX }
}

function isObject(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
