import { HoldfastError } from '../domain/errors/index.ts'
import type { Clock } from '../ports/clock.ts'

/** Longer timers fire at once in Node; they are made of several. */
const timerMaxMs = 2 ** 31 - 1

/** The machine's clock. */
export function createClock(): Clock {
  return { now: () => Date.now(), sleep, after }
}

function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = (): void => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

function after(delayMs: number, callback: () => void): () => void {
  if (Number.isNaN(delayMs)) throw new HoldfastError('E_BUG', { what: 'a delay is not a number' })
  let timer: NodeJS.Timeout
  const wait = (restMs: number): void => {
    const nowMs = Math.min(Math.max(restMs, 0), timerMaxMs)
    timer = setTimeout(() => (restMs > nowMs ? wait(restMs - nowMs) : callback()), nowMs)
  }
  wait(delayMs)
  return () => clearTimeout(timer)
}
