import type { Log } from '../../../../ports/log.ts'

export interface Listeners<T> {
  add(listener: (event: T) => void): () => void
  emit(event: readonly T[]): void
}

/** Calls every listener with every event; a listener that throws is logged and does not keep the others from their calls. */
export function createListeners<T>(log: Log): Listeners<T> {
  const listeners = new Set<(event: T) => void>()
  return {
    add(listener) {
      // Its own wrapping, so that one function may listen twice and leave once.
      const own = (event: T) => listener(event)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    emit(event) {
      for (const each of event) {
        for (const listener of [...listeners]) {
          try {
            listener(each)
          } catch (error) {
            log.error({ err: error }, 'a listener to changes in the cluster failed')
          }
        }
      }
    },
  }
}
