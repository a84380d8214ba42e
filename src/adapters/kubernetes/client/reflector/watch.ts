import type { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { ClusterObject } from '../../../../ports/cluster.ts'
import { failureOf } from '../transport/failure.ts'
import type { ApiRequest } from '../transport/request.ts'
import { notAnApi, type Transport } from '../transport/send.ts'
import { stripManagedFields } from '../transport/strip-managed-fields.ts'
import { linesOf } from './lines.ts'
import type { Selection } from './list.ts'
import { parseObject, type Transform } from './objects.ts'

/** How much later than it was asked to a server may end a watch before we do it. */
const endGraceMs = 30_000

export type WatchEvent<T> =
  | { readonly kind: 'put'; readonly object: T }
  | { readonly kind: 'removed'; readonly object: T }
  /** Everything up to this version has been sent. */
  | { readonly kind: 'bookmark'; readonly resourceVersion: string }

export interface WatchOrder extends Selection {
  /** Events after this version. */
  readonly from: string
  /** The server ends the watch after this time. */
  readonly timeoutSeconds: number
  /** Without one whole event for so long, the watch is ended; asked at its begin and after each event. */
  readonly silenceMaxMs: () => number
  readonly onOpen: () => void
}

/**
 * The events of one watch, until the server ends it. Throws `E_CLUSTER_EXPIRED` where the server does not remember
 * `from` any more, and the error of the cluster for everything else that ends it before its time.
 */
export async function* watchOnce<T extends ClusterObject>(
  transport: Transport,
  order: WatchOrder,
  keep: Transform<T>,
  clock: Pick<Clock, 'after'>,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>> {
  const request = requestOf(order)
  const watchdog = createWatchdog(order, clock)
  try {
    const chunks = await transport.stream(request, AbortSignal.any([signal, watchdog.signal]))
    order.onOpen()
    watchdog.begin()
    for await (const line of linesOf(chunks)) {
      const event = eventOf(line, request, keep)
      yield event
      // Only now: bytes that never become an event are no sign of life.
      watchdog.pat()
    }
  } finally {
    watchdog.stop()
  }
}

function requestOf({ path, labelSelector, fieldSelector, from, timeoutSeconds }: WatchOrder): ApiRequest {
  const query = {
    watch: true,
    allowWatchBookmarks: true,
    resourceVersion: from,
    timeoutSeconds,
    labelSelector,
    fieldSelector,
  }
  return { method: 'GET', path, query }
}

/** Ends a watch that is silent, and one that the server forgot to end. */
function createWatchdog({ silenceMaxMs, timeoutSeconds }: WatchOrder, clock: Pick<Clock, 'after'>) {
  const abort = new AbortController()
  const endAfter = (delayMs: number, why: string) =>
    clock.after(delayMs, () => abort.abort(new WatchCut(`${why} for ${delayMs} ms`)))
  let stopSilence = () => {}
  let stopEnd = () => {}
  const pat = (): void => {
    stopSilence()
    stopSilence = endAfter(silenceMaxMs(), 'the watch was silent')
  }
  return {
    signal: abort.signal,
    begin() {
      pat()
      stopEnd = endAfter(timeoutSeconds * 1_000 + endGraceMs, 'the server kept the watch open')
    },
    pat,
    stop() {
      stopSilence()
      stopEnd()
    },
  }
}

/** A watch that we ended ourselves, because it had stopped to be one. */
class WatchCut extends Error {
  override readonly name = 'WatchCut'
}

/** A line that cannot be read. What it said is unknown, so what was listed can only be listed again. */
export class WatchGarbled extends Error {
  override readonly name = 'WatchGarbled'
  constructor(cause: HoldfastError) {
    super(cause.message, { cause })
  }
}

function eventOf<T extends ClusterObject>(
  line: string,
  request: ApiRequest,
  keep: Transform<T>,
): WatchEvent<T> {
  const { type, object: given } = parsed(line, request)
  if (type === 'ERROR') {
    const code = (given as { code?: unknown } | null)?.code
    throw failureOf(request, typeof code === 'number' ? code : 500, given)
  }
  if (type === 'BOOKMARK') {
    const version = (given as { metadata?: { resourceVersion?: unknown } } | null)?.metadata?.resourceVersion
    if (typeof version === 'string' && version !== '') return { kind: 'bookmark', resourceVersion: version }
    throw new WatchGarbled(notAnApi(request, 'a bookmark has no resourceVersion'))
  }
  const object = parseObject(given, keep)
  if (object === null) throw new WatchGarbled(notAnApi(request, 'an event is about no object'))
  if (type === 'ADDED' || type === 'MODIFIED') return { kind: 'put', object }
  if (type === 'DELETED') return { kind: 'removed', object }
  throw new WatchGarbled(
    notAnApi(request, `an event has the unknown type ${JSON.stringify(type)?.slice(0, 80)}`),
  )
}

function parsed(line: string, request: ApiRequest): { readonly type?: unknown; readonly object?: unknown } {
  try {
    const value = JSON.parse(stripManagedFields(line))
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Said below, without the line: it may hold what is nobody's business.
  }
  throw new WatchGarbled(notAnApi(request, `a line of ${line.length} characters is not an event`))
}
