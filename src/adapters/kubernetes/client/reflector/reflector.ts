import { type BackOff, backOffMs, spreadMs } from '../../../../domain/back-off/index.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import { reasonOf } from '../../../../domain/reason.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { Cached, Change, ClusterObject, ClusterView, ObjectKind } from '../../../../ports/cluster.ts'
import type { Entropy } from '../../../../ports/entropy.ts'
import type { Log } from '../../../../ports/log.ts'
import { collectionPath } from '../paths.ts'
import type { Transport } from '../transport/send.ts'
import { createCacheUpdater } from './cache-updater.ts'
import { createProofs } from './freshness.ts'
import { createIndexer, type Indexes } from './indexer.ts'
import { isExpired, listPages, type Selection } from './list.ts'
import { createListeners } from './listeners.ts'
import type { Transform } from './objects.ts'
import { type WatchEvent, WatchGarbled, watchOnce } from './watch.ts'
import { createYielder } from './yielder.ts'

const watchSecondsMin = 300
/** A view that nothing has proven for so long is listed again. Where all is well, a bookmark comes each minute. */
const defaultUnprovenMaxMs = 90_000
/** A watch that was just opened is read for at least so long, however old the view is. */
const readMinMs = 10_000
const relistBackOff: BackOff = { baseMs: 250, capMs: 30_000 }
/** A watch that ends sooner, and says nothing, counts as a failure: else we would ask without a pause. */
const watchMinMs = 1_000
/** So many answers in a row that the server cannot go on from our version (it may be from before a restore). */
const refusedResumesMax = 4

export interface ReflectorOptions<T extends ClusterObject> {
  readonly kind: ObjectKind
  /** Unset: all namespaces. */
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** Picks the fields of each object that are kept; the fewer, the less memory. */
  readonly transform: Transform<T>
  readonly indexes?: Indexes<T>
  readonly unprovenMaxMs?: number
  /**
   * False for kinds of which API servers keep no cache, such as events: of these they send no bookmarks, and silence
   * says nothing. Their watches are short, and each that the server ends in order and in time proves the view.
   */
  readonly hasBookmarks?: boolean
}

export interface ReflectorDeps {
  readonly transport: Transport
  readonly clock: Clock
  readonly entropy: Pick<Entropy, 'fraction'>
  readonly log: Log
}

/** How the view came to be; every number only grows. */
interface ReflectorCounts {
  readonly lists: number
  readonly watches: number
  readonly events: number
  readonly repeated: number
  readonly late: number
  readonly failures: number
}

export interface Reflector<T extends ClusterObject> extends ClusterView<T> {
  counts(): ReflectorCounts
  /** Follows the cluster until the signal is aborted. It does not give up: what is wrong shows in `freshness`. */
  run(signal: AbortSignal): Promise<void>
}

/** A view of all objects of a kind: listed once, then watched. */
export function createReflector<T extends ClusterObject>(
  options: ReflectorOptions<T>,
  { transport, clock, entropy, log }: ReflectorDeps,
): Reflector<T> {
  const { kind, namespace, labelSelector, fieldSelector, transform, indexes = {} } = options
  const { unprovenMaxMs = defaultUnprovenMaxMs, hasBookmarks = true } = options
  const selection: Selection = { path: collectionPath(kind, namespace), labelSelector, fieldSelector }
  const store = createIndexer<T>(indexes)
  const proofs = createProofs(clock)
  const listeners = createListeners<Change<T>>(log)
  const mirror = createCacheUpdater(store, listeners.emit)
  const becameWhole = Promise.withResolvers<void>()
  const counts = { lists: 0, watches: 0, events: 0, repeated: 0, late: 0, failures: 0 }
  const withFreshness = <V>(value: V): Cached<V> => ({ value, freshness: proofs.freshness() })
  let refusedResumes = 0
  let expiries = 0

  async function list(signal: AbortSignal): Promise<void> {
    counts.lists += 1
    const askedAt = clock.now()
    const listing = mirror.beginListing()
    const breathe = createYielder()
    let version = ''
    for await (const { objects, resourceVersion } of listPages(transport, selection, transform, signal)) {
      version = resourceVersion
      for (const object of objects) {
        listing.take(object)
        await breathe()
      }
    }
    listing.finish(version)
    proofs.listed(askedAt)
    becameWhole.resolve()
  }

  async function watch(from: string, signal: AbortSignal): Promise<void> {
    counts.watches += 1
    const timeoutSeconds = watchSeconds()
    const startedAt = clock.now()
    const order = { ...selection, from, timeoutSeconds, silenceMaxMs, onOpen: proofs.watching }
    const breathe = createYielder()
    let isInOrder = true
    try {
      for await (const event of watchOnce(transport, order, transform, clock, signal)) {
        isInOrder = take(event) && isInOrder
        await breathe()
      }
      if (!hasBookmarks && clock.now() - startedAt >= timeoutSeconds * 1_000) proofs.received(true)
    } finally {
      // Late events may also not have come at all before the watch ended.
      if (!isInOrder) mirror.distrust()
    }
  }

  function watchSeconds(): number {
    if (!hasBookmarks) return Math.max(1, Math.floor(unprovenMaxMs / 2_000))
    // Spread, so that the watches of many processes do not end together.
    return Math.round(watchSecondsMin * (1 + entropy.fraction()))
  }

  function take(event: WatchEvent<T>): boolean {
    const result = mirror.take(event)
    proofs.received(event.kind === 'bookmark')
    refusedResumes = 0
    expiries = 0
    counts.events += 1
    if (result !== 'new') counts[result] += 1
    return result !== 'late'
  }

  /** How long a watch may be silent: until the view is too old, but long enough to receive anything at all. */
  function silenceMaxMs(): number {
    return Math.max(Math.min(unprovenMaxMs, readMinMs), unprovenMaxMs - proofs.freshness().ageMs)
  }

  /** One list or one watch; gives whether the next one may follow without a pause. */
  async function step(signal: AbortSignal): Promise<boolean> {
    const from = mirror.resumeFrom
    if (from === null || proofs.freshness().ageMs >= unprovenMaxMs) {
      await list(signal)
      return true
    }
    const [startedAt, eventsBefore] = [clock.now(), counts.events]
    await watch(from, signal)
    return counts.events > eventsBefore || clock.now() - startedAt >= watchMinMs
  }

  function judge(error: unknown): void {
    const wasAnswered = error instanceof HoldfastError && error.params.code !== undefined
    refusedResumes = wasAnswered ? refusedResumes + 1 : refusedResumes
    const isLost = isExpired(error) || error instanceof WatchGarbled || refusedResumes >= refusedResumesMax
    if (isLost) {
      mirror.distrust()
      refusedResumes = 0
    }
    const why = reasonOf(error)
    // A server forgets: that is its right, and the list that follows is all there is to do.
    if (!isExpired(error)) proofs.troubled(why)
  }

  return {
    get: (key) => withFreshness(store.get(key)),
    list: () => withFreshness(store.list()),
    by: (index, value) => withFreshness(store.by(index, value)),
    freshness: () => proofs.freshness(),
    onChange: listeners.add,
    counts: () => ({ ...counts }),
    whole: (signal) => orAborted(becameWhole.promise, signal),
    async run(signal) {
      for (let failures = 0; !signal.aborted; ) {
        let error: unknown = null
        try {
          if (await step(signal)) {
            failures = 0
            continue
          }
        } catch (thrown) {
          if (signal.aborted) return
          error = thrown
          counts.failures += 1
          judge(thrown)
        }
        failures += 1
        if (isExpired(error)) expiries += 1
        // A server that was restarted remembers nothing: the list follows at once, but only once in a row.
        if (isExpired(error) && expiries === 1) continue
        const pauseMs = pauseAfter(Math.max(failures, expiries), error, entropy)
        const { ageMs } = proofs.freshness()
        const fields = { view: selection.path, failures, ageMs, retryInMs: Math.round(pauseMs), err: error }
        log.warn(fields, 'the view of the cluster is not up to date')
        await clock.sleep(pauseMs, signal).catch(() => {})
      }
    },
  }
}

function pauseAfter(failures: number, error: unknown, entropy: Pick<Entropy, 'fraction'>): number {
  const wished = error instanceof HoldfastError ? error.params.retryAfterMs : 0
  const minMs = Math.max(backOffMs(relistBackOff, failures), typeof wished === 'number' ? wished : 0)
  return spreadMs(minMs, entropy.fraction())
}

function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    void promise.then(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
  })
}
