import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { ClusterObject } from '../../../../ports/cluster.ts'
import type { ApiRequest } from '../transport/request.ts'
import { notAnApi, type Transport } from '../transport/send.ts'
import { parseObject, type Transform } from './objects.ts'

const pageSizeMax = 500
/** How large the objects are is known only after the first page. */
const pageSizeFirst = 100
const pageSizeMin = 20
/** Parsing a page of this size stops the process for about 10 ms; pages of larger objects have fewer of them. */
const pageBytesGoal = 1_500_000
const listTimeoutMs = 60_000

export interface Page<T> {
  readonly objects: readonly T[]
  /** Of the whole list: all pages show the cluster as it was at one moment. */
  readonly resourceVersion: string
}

export interface Selection {
  readonly path: string
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
}

/** Every object that is selected, page by page, as the cluster was at one moment; throws rather than end early. */
export async function* listPages<T extends ClusterObject>(
  transport: Transport,
  selection: Selection,
  keep: Transform<T>,
  signal: AbortSignal,
): AsyncGenerator<Page<T>> {
  for await (const { items, resourceVersion, request } of listRawPages(transport, selection, signal)) {
    const objects = items.map((item, index) => {
      const object = parseObject(item, keep)
      if (object !== null) return object
      throw notAnApi(request, `item ${index} has no name, uid or resourceVersion`)
    })
    yield { objects, resourceVersion }
  }
}

interface RawPage {
  readonly items: readonly unknown[]
  readonly resourceVersion: string
  readonly request: ApiRequest
}

/** The same, with objects as they come: whether they are any is the reader's to check. */
export async function* listRawPages(
  transport: Transport,
  { path, labelSelector, fieldSelector }: Selection,
  signal: AbortSignal,
): AsyncGenerator<RawPage> {
  let token: string | undefined
  let limit = pageSizeFirst
  do {
    const query = { limit, continue: token, labelSelector, fieldSelector }
    const request: ApiRequest = { method: 'GET', path, query, timeoutMs: listTimeoutMs }
    const { body, byteCount } = await transport.send(request, signal)
    const { items, resourceVersion, next } = pageOf(body, request)
    yield { items, resourceVersion, request }
    if (next !== '' && next === token) throw notAnApi(request, 'it asks to continue where we just were')
    token = next
    limit = nextLimit(items.length, byteCount)
  } while (token !== '')
}

/** Whether the server has forgotten the moment that a list or a watch is about. */
export function isExpired(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === 'E_CLUSTER_EXPIRED'
}

function pageOf(body: unknown, request: ApiRequest) {
  const { items, metadata } = (body ?? {}) as { items?: unknown; metadata?: Record<string, unknown> }
  const { resourceVersion, continue: next = '' } = metadata ?? {}
  // The API writes an empty list as null in places.
  if (items !== null && !Array.isArray(items)) throw notAnApi(request, 'it is not a list')
  if (typeof resourceVersion !== 'string' || resourceVersion === '' || typeof next !== 'string') {
    throw notAnApi(request, 'the list does not say its resourceVersion')
  }
  return { items: (items ?? []) as unknown[], resourceVersion, next }
}

function nextLimit(count: number, byteCount: number): number {
  if (count === 0) return pageSizeMax
  const fitting = Math.floor(pageBytesGoal / (byteCount / count))
  return Math.min(pageSizeMax, Math.max(pageSizeMin, fitting))
}
