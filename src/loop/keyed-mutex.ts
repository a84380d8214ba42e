import { HoldfastError } from '../domain/errors/index.ts'
import { createKeyedExecutor } from './keyed-executor.ts'

/** Mutual exclusion by key, first come, first served; the counterpart is `k8s.io/utils/keymutex`. */
export interface KeyedMutex {
  /** Does the work while no other work under this key is done. It is not reentrant: the work must not run the key again. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

/** Every loop waits for one key at a time, so that there are never more callers than loops and workers; more is a defect (I10). */
export const mutexCallersMax = 1_000

export function createKeyedMutex(): KeyedMutex {
  const executor = createKeyedExecutor(mutexCallersMax)
  return {
    async run(key, work) {
      const callers = executor.size
      if (callers >= mutexCallersMax)
        throw new HoldfastError('E_BUG', { what: `${callers} hold or wait for a mutex` })
      return executor.run([key], work)
    },
  }
}
