import { isRecord } from '../../../../domain/is-record.ts'
import type { Clock } from '../../../../ports/clock.ts'
import { kinds } from '../kinds.ts'
import { collectionPath } from '../paths.ts'
import type { Transport } from '../transport/send.ts'
import { coalesceReads, type EventReader, type EventsRead, type PodEvents } from './coalesced-events.ts'

export type { EventsRead, PodEvents } from './coalesced-events.ts'

/** Repeated ones are counted in one event: a pod with more of them is one that somebody floods. */
const eventsReadMax = 100
/** Of a namespace at a time, so that reading them holds up nobody for long. */
const pageEvents = 500
/** In a namespace with more of them it is cheaper to ask for one pod after another. */
const pagesMax = 20

/** Reads events of the cluster; several at once together. */
export function createPodEvents(transport: Transport, clock: Pick<Clock, 'after'>): PodEvents {
  return coalesceReads(eventReads(transport), clock)
}

/** Reads the events about pods of one name, also of pods that are gone and whose UID is unknown. */
export type NamedEvents = (
  order: { readonly namespace: string; readonly pod: string; readonly deadlineMs: number },
  signal: AbortSignal,
) => Promise<EventsRead>

export function createNamedEvents(transport: Transport): NamedEvents {
  const page = pages(transport)
  return async ({ namespace, pod, deadlineMs }, signal) => {
    const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${pod}`
    const { items, next } = await page(namespace, { fieldSelector, limit: eventsReadMax }, deadlineMs, signal)
    return { items: items.slice(0, eventsReadMax), isMore: next !== undefined }
  }
}

function eventReads(transport: Transport): EventReader {
  const page = pages(transport)
  return {
    async one(namespace, podUid, deadlineMs, signal) {
      // The server goes through its store in steps of the limit: a larger one is answered sooner.
      const query = { fieldSelector: `involvedObject.uid=${podUid}`, limit: pageEvents }
      const { items, next } = await page(namespace, query, deadlineMs, signal)
      const { isMore, ...read } = bounded(items)
      return { ...read, isMore: isMore || next !== undefined }
    },
    async many(namespace, podUids, deadlineMs, signal) {
      const found = new Map(podUids.map((uid) => [uid, [] as Item[]]))
      let next: string | undefined
      for (let pages = 0; pages < pagesMax; pages += 1) {
        const query = { fieldSelector: 'involvedObject.kind=Pod', limit: pageEvents, continue: next }
        const read = await page(namespace, query, deadlineMs, signal)
        for (const item of read.items) found.get(uidOf(item))?.push(item)
        next = read.next
        if (next === undefined) return new Map([...found].map(([uid, items]) => [uid, bounded(items)]))
      }
      return 'too-many'
    },
  }
}

function pages(transport: Transport) {
  return async (namespace: string, query: Query, timeoutMs: number, signal: AbortSignal) => {
    const path = collectionPath(kinds.events, namespace)
    const { body } = await transport.send({ method: 'GET', path, query, timeoutMs }, signal)
    return pageOf(body)
  }
}

type Query = Readonly<Record<string, string | number | undefined>>
type Item = EventsRead['items'][number]

function pageOf(body: unknown): { readonly items: readonly Item[]; readonly next: string | undefined } {
  const { items, metadata } = (body ?? {}) as { items?: unknown; metadata?: { continue?: unknown } }
  const all: unknown[] = Array.isArray(items) ? items : []
  const next = metadata?.continue
  return { items: all.filter(isRecord), next: typeof next === 'string' && next !== '' ? next : undefined }
}

function uidOf({ involvedObject }: Item): string {
  const uid = isRecord(involvedObject) ? involvedObject.uid : undefined
  return typeof uid === 'string' ? uid : ''
}

function bounded(items: readonly Item[]): EventsRead {
  return { items: items.slice(0, eventsReadMax), isMore: items.length > eventsReadMax }
}
