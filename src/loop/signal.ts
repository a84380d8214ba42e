import type { Clock } from '../ports/clock.ts'

/** A wake-up that is kept until somebody waits for it; Go's counterpart is a channel of capacity one. */
export interface Signal {
  readonly notify: () => void
  /** Resolves when the signal was notified, after `atMostMs`, or when `signal` is aborted. */
  wait(atMostMs: number, signal: AbortSignal): Promise<void>
}

export function createSignal(clock: Pick<Clock, 'after'>): Signal {
  let isNotified = false
  let wakeWaiter: (() => void) | null = null
  return {
    notify() {
      isNotified = true
      wakeWaiter?.()
    },
    wait(atMostMs, signal) {
      if (signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const finish = () => {
          wakeWaiter = null
          isNotified = false
          cancel()
          signal.removeEventListener('abort', finish)
          resolve()
        }
        const cancel = clock.after(atMostMs, finish)
        signal.addEventListener('abort', finish)
        if (isNotified) finish()
        else wakeWaiter = finish
      })
    },
  }
}
