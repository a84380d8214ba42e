import { HoldfastError } from '../domain/errors/index.ts'
import type { Runner } from '../domain/runner/index.ts'
import { createDoorbell, type Doorbell } from '../loop/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import { createExpected } from './expected.ts'
import { pollSweepMs } from './settings.ts'
import { createVouching } from './vouch.ts'

/** Polls that wait for a job of their pool. */
export interface Waiters {
  /** From here on the pool's bell is heard, so that no ring is lost between a look at the queue and the wait. */
  join(runner: Runner): Waiter
  /** A runner that waited here a moment ago, and of which nothing was heard since; null: the ledger must be asked. */
  expected(name: string): Runner | null
  close(): void
}

export interface Waiter {
  /** It waited here a moment ago: what the ledger said then still holds, and is proved with that of the others. */
  readonly isBack: boolean
  /** The pool may have something that it has not looked at. */
  hasNews(): boolean
  /** It is about to look at the queue: what rang until now is heard. */
  look(): void
  /** It has a job. Where there was one there may be more: others look, and it is not woken meanwhile. */
  served(): void
  /** Resolves when the pool may have work, after `atMostMs`, or when the signal is aborted. */
  readonly wait: Doorbell['wait']
  /** The ledger does not have it as polling any more: it must introduce itself anew. */
  isDoubted(): boolean
  /** It goes because its time is over, and will be back. */
  expect(): void
  leave(): void
}

interface Sleeper {
  readonly ring: () => void
  hasRung: boolean
  isDoubted: boolean
  /** How often the pool had rung when it looked at the queue. */
  rings: number
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
export function createWaiters(
  ledger: Pick<Ledger, 'onWake' | 'counts' | 'waiting'>,
  clock: Clock,
  log: Log,
): Waiters {
  const pools = new Map<string, Set<Sleeper>>()
  const rings = new Map<string, number>()
  const byRunner = new Map<number, Sleeper>()
  const expected = createExpected(clock)
  const vouching = createVouching(ledger, clock, log, {
    isWaiting: (runnerId) => byRunner.has(runnerId),
    doubt(runnerId) {
      const sleeper = byRunner.get(runnerId)
      if (sleeper === undefined) return
      sleeper.isDoubted = true
      ring(sleeper)
    },
  })
  let joined = 0
  let cancelSweep: (() => void) | null = null

  const unsubscribe = ledger.onWake((wake) => {
    if (wake.kind === 'jobs') wakeSome(wake.pool, wokenAtOnceMax)
    if (wake.kind === 'fenced') {
      expected.forget(wake.runnerId)
      ring(byRunner.get(wake.runnerId))
    }
    if (wake.kind === 'everything') {
      expected.forgetAll()
      for (const pool of pools.keys()) wakeSome(pool, Number.POSITIVE_INFINITY)
    }
  })

  /** Those who were woken last come last the next time; who is about to come back hears of it then. */
  function wakeSome(pool: string, atMost: number): void {
    if (atMost > 0) rings.set(pool, ringsOf(pool) + 1)
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

  function ringsOf(pool: string): number {
    return rings.get(pool) ?? 0
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

  /**
   * A sweep that fails says nothing about any pool: nobody is woken for it, and the next one asks again. Whoever waits asks
   * too when his time is over, so that no job depends on it.
   */
  async function sweep(): Promise<void> {
    try {
      for (const { pool, dispatchable } of await ledger.counts()) wakeSome(pool, dispatchable)
    } catch (error) {
      // That the ledger does not answer is told by all who ask it for something; anything else only from here.
      if (error instanceof HoldfastError && error.entry.retryable) return
      log.error({ err: error }, 'the ledger cannot be asked whether jobs wait; asked again')
    }
  }

  return {
    expected: (name) => expected.find(name),
    join(runner) {
      const { pool, id } = runner
      const bell = createDoorbell(clock)
      const lookedAt = expected.take(runner.name)
      const sleeper: Sleeper = { ring: bell.ring, hasRung: false, isDoubted: false, rings: lookedAt ?? -1 }
      lieDown(pool, sleeper)
      byRunner.set(id, sleeper)
      joined += 1
      sweepLater()
      return {
        isBack: lookedAt !== null,
        hasNews: () => sleeper.hasRung || sleeper.rings !== ringsOf(pool),
        look() {
          sleeper.hasRung = false
          sleeper.rings = ringsOf(pool)
          lieDown(pool, sleeper)
        },
        served() {
          getUp(pool, sleeper)
          wakeSome(pool, wokenByServed)
        },
        wait(atMostMs, signal) {
          vouching.add(id)
          return bell.wait(atMostMs, signal)
        },
        isDoubted: () => sleeper.isDoubted,
        expect() {
          if (!sleeper.hasRung) expected.note(runner, sleeper.rings)
        },
        leave() {
          joined -= 1
          getUp(pool, sleeper)
          if (byRunner.get(id) === sleeper) byRunner.delete(id)
          if (sleeper.hasRung) wakeSome(pool, 1) // he was told of a job, and goes without having looked
        },
      }
    },
    close() {
      cancelSweep?.()
      vouching.close()
      unsubscribe()
    },
  }
}
