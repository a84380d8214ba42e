import type { Log } from '../../../ports/log.ts'

export interface Listeners<T> {
  add(listener: (told: T) => void): () => void
  emit(told: readonly T[]): void
}

/** Tells everybody everything; a listener that throws is said and does not keep the others from hearing. */
export function createListeners<T>(log: Log): Listeners<T> {
  const listeners = new Set<(told: T) => void>()
  return {
    add(listener) {
      // Its own wrapping, so that one function may listen twice and leave once.
      const own = (told: T) => listener(told)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    emit(told) {
      for (const each of told) {
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
