import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../ports/clock.ts'

/** The supervisor is a program of its own, which nobody hands a clock. */
export function machineClock(): Clock {
  return {
    now: () => Date.now(),
    sleep: (delayMs, signal) => sleep(delayMs, undefined, signal === undefined ? {} : { signal }),
    after(delayMs, callback) {
      const timer = setTimeout(callback, delayMs)
      return () => clearTimeout(timer)
    },
  }
}
