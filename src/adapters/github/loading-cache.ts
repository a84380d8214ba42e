import { reasonOf } from '../../domain/reason.ts'
import type { Clock } from '../../ports/clock.ts'
import { unavailable } from './transport/call.ts'

export interface LoadingCacheOptions<V> {
  readonly clock: Clock
  readonly entriesMax: number
  readonly isFresh: (value: V, ageMs: number) => boolean
  /** Aborts loads. One caller that gives up does not, since the others share the load. */
  readonly closing: AbortSignal
}

/** Values that are read from the forge once for all callers. */
export interface LoadingCache<V> {
  /** Returns the cached value where it is fresh, else joins the load in flight or starts one. A failure is not kept. */
  get(
    key: string,
    load: (signal: AbortSignal) => Promise<V>,
    signal: AbortSignal,
    ageMsMax?: number,
  ): Promise<V>
  /** Drops the cached value; given a value, only where that one is still cached. */
  forget(key: string, value?: V): void
}

/** A bounded cache with one load in flight for each key. */
export function createLoadingCache<V>({
  clock,
  entriesMax,
  isFresh,
  closing,
}: LoadingCacheOptions<V>): LoadingCache<V> {
  const known = new Map<string, { readonly value: V; readonly at: number }>()
  const loading = new Map<string, Promise<V>>()
  const start = (key: string, load: (signal: AbortSignal) => Promise<V>): Promise<V> => {
    const promise = load(closing)
      .then((value) => {
        known.delete(key)
        known.set(key, { value, at: clock.now() })
        for (const oldest of known.keys()) if (known.size > entriesMax) known.delete(oldest)
        return value
      })
      .finally(() => loading.delete(key))
    loading.set(key, promise)
    return promise
  }
  return {
    async get(key, load, signal, ageMsMax = Number.POSITIVE_INFINITY) {
      const entry = known.get(key)
      if (entry !== undefined) {
        const ageMs = clock.now() - entry.at
        if (ageMs <= ageMsMax && isFresh(entry.value, ageMs)) return entry.value
      }
      return orGivenUp(loading.get(key) ?? start(key, load), signal)
    },
    forget(key, value) {
      if (value === undefined || known.get(key)?.value === value) known.delete(key)
    },
  }
}

async function orGivenUp<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const givenUp = Promise.withResolvers<never>()
  const giveUp = (): void => {
    const { reason } = signal
    const why = reasonOf(reason)
    givenUp.reject(unavailable('what all calls share', why, reason))
  }
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp)
  try {
    return await Promise.race([givenUp.promise, promise])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
