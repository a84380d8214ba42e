import { createDoorbell, type Doorbell } from '../loop/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ledger } from '../ports/ledger.ts'
import { pollSweepMs } from './settings.ts'

/** Polls that wait for a job of their pool. */
export interface Waiters {
  /** From here on the pool's bell is heard, so that no ring is lost between a look at the queue and the wait. */
  join(pool: string, runnerId?: number): Waiter
  close(): void
}

export interface Waiter {
  /** It is about to look at the queue: what rang until now is heard. */
  look(): void
  /** It has a job. Where there was one there may be more: others look, and it is not woken meanwhile. */
  served(): void
  /** Resolves when the pool may have work, after `atMostMs`, or when the signal is aborted. */
  readonly wait: Doorbell['wait']
  leave(): void
}

interface Sleeper {
  readonly ring: () => void
  hasRung: boolean
}

/** A ring is no word of how many jobs there are. So many look at once, as many as one statement serves. */
const wokenAtOnceMax = 32
/** Whoever finds a job wakes so many more: all of a large fleet are awake after some turns, if there are so many jobs. */
const wokenByServed = 2

/**
 * A job that comes does not wake a whole fleet, of which one gets it: some look, and those who find something wake
 * others. Wake-ups may be lost, and some jobs become due without one, so that the queue is looked at now and then:
 * once for all who wait, because an idle fleet should cost nothing.
 */
export function createWaiters(ledger: Pick<Ledger, 'onWake' | 'counts'>, clock: Clock): Waiters {
  const pools = new Map<string, Set<Sleeper>>()
  const byRunner = new Map<number, Sleeper>()
  let joined = 0
  let cancelSweep: (() => void) | null = null

  const unsubscribe = ledger.onWake((wake) => {
    if (wake.kind === 'jobs') wakeSome(wake.pool, wokenAtOnceMax)
    if (wake.kind === 'fenced') ring(byRunner.get(wake.runnerId))
    if (wake.kind === 'everything') for (const pool of pools.keys()) wakeSome(pool, Number.POSITIVE_INFINITY)
  })

  /** Those who were woken last come last the next time. */
  function wakeSome(pool: string, atMost: number): void {
    const sleepers = pools.get(pool) ?? new Set()
    const woken: Sleeper[] = []
    for (const sleeper of sleepers) {
      if (woken.length >= atMost) break
      if (!sleeper.hasRung) woken.push(sleeper)
    }
    for (const sleeper of woken) {
      sleepers.delete(sleeper)
      sleepers.add(sleeper)
      ring(sleeper)
    }
  }

  function lieDown(pool: string, sleeper: Sleeper): void {
    pools.set(pool, (pools.get(pool) ?? new Set()).add(sleeper))
  }

  function getUp(pool: string, sleeper: Sleeper): void {
    const sleepers = pools.get(pool)
    if (sleepers?.delete(sleeper) && sleepers.size === 0) pools.delete(pool)
  }

  function ring(sleeper: Sleeper | undefined): void {
    if (sleeper === undefined) return
    sleeper.hasRung = true
    sleeper.ring()
  }

  function sweepLater(): void {
    cancelSweep ??= clock.after(pollSweepMs, () => {
      cancelSweep = null
      if (joined > 0) void sweep().finally(sweepLater)
    })
  }

  /** A ledger that does not answer now is asked again; whoever waits asks it too when his time is over. */
  async function sweep(): Promise<void> {
    const counts = await ledger.counts().catch(() => [])
    for (const { pool, dispatchable } of counts) wakeSome(pool, dispatchable)
  }

  return {
    join(pool, runnerId) {
      const bell = createDoorbell(clock)
      const sleeper = { ring: bell.ring, hasRung: false }
      lieDown(pool, sleeper)
      if (runnerId !== undefined) byRunner.set(runnerId, sleeper)
      joined += 1
      sweepLater()
      return {
        look() {
          sleeper.hasRung = false
          lieDown(pool, sleeper)
        },
        served() {
          getUp(pool, sleeper)
          wakeSome(pool, wokenByServed)
        },
        wait: bell.wait,
        leave() {
          joined -= 1
          getUp(pool, sleeper)
          if (runnerId !== undefined && byRunner.get(runnerId) === sleeper) byRunner.delete(runnerId)
          if (sleeper.hasRung) wakeSome(pool, 1) // he was told of a job, and goes without having looked
        },
      }
    },
    close() {
      cancelSweep?.()
      unsubscribe()
    },
  }
}
