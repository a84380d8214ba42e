import { HoldfastError } from '../domain/errors/index.ts'
import type { Runner } from '../domain/runner/index.ts'
import { createSignal, type Signal } from '../loop/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { LedgerWakes, PoolLedger, RunnerLedger } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import { createRecentPollers } from './recent-pollers.ts'
import { pollResyncMs } from './settings.ts'
import { createWaiterHeartbeat } from './waiter-heartbeat.ts'

/** Polls that wait for a job of their pool. */
export interface Waiters {
  /** Keeps the pool's wake-ups from here on, so that none is lost between a look at the queue and the wait. */
  join(runner: Runner): Waiter
  /** A runner that waited here recently and has not changed since; null: the ledger must be asked. */
  recent(name: string): Runner | null
  close(): void
}

export interface Waiter {
  /** Whether the runner waited here recently: its row of then still holds, and the heartbeat confirms it. */
  readonly isBack: boolean
  /** Whether the pool may have jobs that the runner has not looked at. */
  hasNews(): boolean
  /** The runner is about to look at the queue: earlier wake-ups are used up. */
  look(): void
  /** The runner has a job. The queue may have more: others look, and this one is unparked. */
  served(): void
  /** Resolves when the pool may have work, after `atMostMs`, or when the signal is aborted. */
  readonly wait: Signal['wait']
  /** Whether the ledger does not have the runner as polling any more: it must introduce itself again. */
  isStale(): boolean
  /** The poll ends because its time is over, and the runner will poll again. */
  expectBack(): void
  leave(): void
}

interface Parked {
  readonly notify: () => void
  isNotified: boolean
  isStale: boolean
  /** How many wake-ups the pool had had when the runner looked at the queue. */
  wakesSeen: number
}

/** Runners woken at once, as many as one statement serves: a wake-up does not say how many jobs there are. */
const wokenAtOnceMax = 32
/** Further runners that a served one wakes: after some rounds a large fleet is awake, if there are so many jobs. */
const wokenByServed = 2

/**
 * A new job does not wake a whole fleet, of which one runner gets it: some runners look, and each that finds a job wakes
 * others. Wake-ups may be lost, and some jobs become due without one, so that the queue is resynced regularly: once for
 * all waiters, because an idle fleet should cost nothing.
 */
export function createWaiters(
  ledger: PoolLedger & RunnerLedger & LedgerWakes,
  clock: Clock,
  log: Log,
): Waiters {
  const pools = new Map<string, Set<Parked>>()
  const wakes = new Map<string, number>()
  const byRunner = new Map<number, Parked>()
  const recent = createRecentPollers(clock)
  const heartbeat = createWaiterHeartbeat(ledger, clock, log, {
    isWaiting: (runnerId) => byRunner.has(runnerId),
    markStale(runnerId) {
      const parked = byRunner.get(runnerId)
      if (parked === undefined) return
      parked.isStale = true
      notify(parked)
    },
  })
  let joined = 0
  let cancelResync: (() => void) | null = null

  const unsubscribe = ledger.onWake((wake) => {
    if (wake.kind === 'jobs') wakeSome(wake.pool, wokenAtOnceMax)
    if (wake.kind === 'fenced') {
      recent.forget(wake.runnerId)
      notify(byRunner.get(wake.runnerId))
    }
    if (wake.kind === 'everything') {
      recent.forgetAll()
      for (const pool of pools.keys()) wakeSome(pool, Number.POSITIVE_INFINITY)
    }
  })

  /** Runners that were woken last come last the next time; a runner that is about to return sees the number of wake-ups. */
  function wakeSome(pool: string, atMost: number): void {
    if (atMost > 0) wakes.set(pool, wakesOf(pool) + 1)
    const parkedSet = pools.get(pool) ?? new Set()
    const woken: Parked[] = []
    for (const parked of parkedSet) {
      if (woken.length >= atMost) break
      if (!parked.isNotified) woken.push(parked)
    }
    for (const parked of woken) {
      parkedSet.delete(parked)
      parkedSet.add(parked)
      notify(parked)
    }
  }

  function wakesOf(pool: string): number {
    return wakes.get(pool) ?? 0
  }

  function park(pool: string, parked: Parked): void {
    pools.set(pool, (pools.get(pool) ?? new Set()).add(parked))
  }

  function unpark(pool: string, parked: Parked): void {
    const parkedSet = pools.get(pool)
    if (parkedSet?.delete(parked) && parkedSet.size === 0) pools.delete(pool)
  }

  function notify(parked: Parked | undefined): void {
    if (parked === undefined) return
    parked.isNotified = true
    parked.notify()
  }

  function resyncLater(): void {
    cancelResync ??= clock.after(pollResyncMs, () => {
      cancelResync = null
      if (joined > 0) void resync().finally(resyncLater)
    })
  }

  /**
   * A resync that fails proves nothing about any pool: it wakes no runner, and the next one asks again. A runner that waits
   * polls again when its time is over, so that no job depends on a resync.
   */
  async function resync(): Promise<void> {
    try {
      for (const { pool, dispatchable } of await ledger.counts()) wakeSome(pool, dispatchable)
    } catch (error) {
      // Every caller reports a ledger that does not answer; any other error is reported only from here.
      if (error instanceof HoldfastError && error.entry.retryable) return
      log.error({ err: error }, 'the ledger cannot be asked whether jobs wait; asked again')
    }
  }

  return {
    recent: (name) => recent.find(name),
    join(runner) {
      const { pool, id } = runner
      const wakeUp = createSignal(clock)
      const lookedAt = recent.take(runner.name)
      const parked: Parked = {
        notify: wakeUp.notify,
        isNotified: false,
        isStale: false,
        wakesSeen: lookedAt ?? -1,
      }
      park(pool, parked)
      byRunner.set(id, parked)
      joined += 1
      resyncLater()
      return {
        isBack: lookedAt !== null,
        hasNews: () => parked.isNotified || parked.wakesSeen !== wakesOf(pool),
        look() {
          parked.isNotified = false
          parked.wakesSeen = wakesOf(pool)
          park(pool, parked)
        },
        served() {
          unpark(pool, parked)
          wakeSome(pool, wokenByServed)
        },
        wait(atMostMs, signal) {
          heartbeat.add(id)
          return wakeUp.wait(atMostMs, signal)
        },
        isStale: () => parked.isStale,
        expectBack() {
          if (!parked.isNotified) recent.note(runner, parked.wakesSeen)
        },
        leave() {
          joined -= 1
          unpark(pool, parked)
          if (byRunner.get(id) === parked) byRunner.delete(id)
          if (parked.isNotified) wakeSome(pool, 1) // it was woken for a job and leaves without having looked
        },
      }
    },
    close() {
      cancelResync?.()
      heartbeat.close()
      unsubscribe()
    },
  }
}
