import { createDoorbell, type Doorbell } from '../loop/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ledger } from '../ports/ledger.ts'

/** Polls that wait for a job of their pool. */
export interface Waiters {
  /** From here on the pool's bell is heard, so that no ring is lost between a look at the queue and the wait. */
  join(pool: string): Waiter
  close(): void
}

export interface Waiter {
  /** Resolves when the pool may have work, after `atMostMs`, or when the signal is aborted. */
  readonly wait: Doorbell['wait']
  leave(): void
}

export function createWaiters(ledger: Pick<Ledger, 'onWake'>, clock: Clock): Waiters {
  const bells = new Map<string, Set<() => void>>()
  const unsubscribe = ledger.onWake((wake) => {
    for (const [pool, waiting] of bells) {
      if (wake.kind === 'everything' || (wake.kind === 'jobs' && wake.pool === pool)) {
        for (const ring of waiting) ring()
      }
    }
  })
  return {
    join(pool) {
      const bell = createDoorbell(clock)
      const waiting = bells.get(pool) ?? new Set()
      bells.set(pool, waiting.add(bell.ring))
      return {
        wait: bell.wait,
        leave() {
          waiting.delete(bell.ring)
          if (waiting.size === 0) bells.delete(pool)
        },
      }
    },
    close: unsubscribe,
  }
}
