import type { Clock } from '../../ports/clock.ts'
import { unavailable } from './transport/call.ts'

export interface MemoryOptions<V> {
  readonly clock: Clock
  readonly entriesMax: number
  readonly isFresh: (value: V, ageMs: number) => boolean
  /** Loading is everybody's: one caller who gives up does not end it, this signal does. */
  readonly closing: AbortSignal
}

/** Values that are asked of the forge once for all who need them. */
export interface Memory<V> {
  /** What is known and fresh, what is being loaded already, or what is loaded now. A failure is not kept. */
  get(
    key: string,
    load: (signal: AbortSignal) => Promise<V>,
    signal: AbortSignal,
    ageMsMax?: number,
  ): Promise<V>
  /** Forgets what is known, or only this value if it is still the one. */
  forget(key: string, value?: V): void
}

/** A bounded memory with one load in flight for each key. */
export function createMemory<V>({ clock, entriesMax, isFresh, closing }: MemoryOptions<V>): Memory<V> {
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
    const why = reason instanceof Error ? reason.message : String(reason)
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
