import { describe, expect, it } from 'vitest'
import { createMemoryLedger } from '../../sim/world/ledger/index.ts'
import { createRandom } from '../../sim/world/random.ts'
import { recordedLog } from '../../test/support/machine.ts'
import { aRunner } from '../../test/support/rows.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import { ManualClock } from '../platform/lifecycle/fakes.ts'
import type { PoolCounts, Wake } from '../ports/ledger.ts'
import { pollResyncMs } from './settings.ts'
import { createWaiters } from './waiters.ts'

const never = new AbortController().signal
const patienceMs = 60_000
const silence = new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'a test', outcomeUnknown: true })

function bench({ failures = 0, failure = silence as Error, lookFailures = 0 } = {}) {
  const clock = new ManualClock()
  const log = recordedLog()
  let call: (wake: Wake) => void = () => undefined
  const ledgerCalls = {
    counts: [] as PoolCounts[],
    looks: 0,
    heartbeats: [] as number[][],
    gone: new Set<number>(),
  }
  const waiters = createWaiters(
    {
      ...createMemoryLedger({ clock, entropy: createRandom(1) }),
      onWake(callback) {
        call = callback
        return () => undefined
      },
      async counts() {
        ledgerCalls.looks += 1
        if (ledgerCalls.looks <= lookFailures) throw failure
        return ledgerCalls.counts
      },
      async waiting(ids) {
        failures -= 1
        if (failures >= 0) throw failure
        ledgerCalls.heartbeats.push([...ids])
        return new Set(ids.filter((id) => !ledgerCalls.gone.has(id)))
      },
    },
    clock,
    log,
  )
  const woken: number[] = []
  const wait = (runnerId: number) => {
    const waiter = waiters.join(runnerOf(runnerId))
    waiter.look()
    void waiter.wait(patienceMs, never).then(() => woken.push(runnerId))
    return waiter
  }
  return {
    clock,
    log,
    waiters,
    woken,
    wait,
    ledgerCalls,
    wake: (wake: Wake) => call(wake),
    turn: () => clock.advance(0),
  }
}

const runnerOf = (id: number) => aRunner({ id, name: `linux-${id}`, pool: 'linux' })

const dispatchable = (count: number): PoolCounts[] => [
  {
    pool: 'linux',
    dispatchable: count,
    queued: count,
    oldestWaitMs: 0,
    runners: { booting: 0, polling: 0, claimed: 0, busy: 0, fenced: 0, ended: 0 },
  } as PoolCounts,
]

describe('runners that wait for a job', () => {
  it('are woken some at a time, and a runner that finds a job wakes two more', async () => {
    const { wait, wake, woken, turn } = bench()
    const waiting = Array.from({ length: 100 }, (_, index) => wait(index))
    wake({ kind: 'jobs', pool: 'linux' })
    await turn()
    expect(woken).toHaveLength(32)
    waiting[0]?.served()
    await turn()
    expect(woken).toHaveLength(34)
  })

  it('are woken although a runner that was served parks again after the last other one left', async () => {
    const { wait, wake, woken, turn } = bench()
    const [served, last] = [wait(1), wait(2)]
    served.served()
    last.leave()
    wait(3)
    served.look()
    wake({ kind: 'jobs', pool: 'linux' })
    await turn()
    expect(woken.toSorted()).toContain(3)
  })

  it('are all woken where wake-ups may have been missed', async () => {
    const { wait, wake, woken, turn } = bench()
    for (let id = 0; id < 100; id += 1) wait(id)
    wake({ kind: 'everything' })
    await turn()
    expect(woken).toHaveLength(100)
  })

  it('are not woken for another pool', async () => {
    const { wait, wake, woken, turn } = bench()
    wait(1)
    wake({ kind: 'jobs', pool: 'windows' })
    await turn()
    expect(woken).toEqual([])
  })

  it('are woken alone when they are fenced', async () => {
    const { wait, wake, woken, turn } = bench()
    for (const id of [1, 2, 3]) wait(id)
    wake({ kind: 'fenced', runnerId: 2 })
    await turn()
    expect(woken).toEqual([2])
  })

  it('pass a wake-up on that they did not use', async () => {
    const { wait, wake, woken, turn } = bench()
    const first = Array.from({ length: 32 }, (_, index) => wait(index))
    const late = 99
    wait(late)
    wake({ kind: 'jobs', pool: 'linux' })
    await turn()
    expect(woken).not.toContain(late)
    first[0]?.leave()
    await turn()
    expect(woken).toContain(late)
  })

  it('are resynced with one query for all of them where no wake-up comes', async () => {
    const { wait, ledgerCalls, woken, clock } = bench()
    for (const id of [1, 2, 3]) wait(id)
    await clock.advance(5_000)
    expect(ledgerCalls.looks).toBe(1)
    expect(woken).toEqual([])
    ledgerCalls.counts = dispatchable(2)
    await clock.advance(5_000)
    expect(ledgerCalls.looks).toBe(2)
    expect(woken).toEqual([1, 2])
  })

  it.each([
    ['is unavailable, which others report', silence, 0],
    ['fails by a defect, which is logged', new Error('a defect'), 1],
  ] as const)('are served by the next resync where the ledger %s', async (_, failure, errors) => {
    const { wait, ledgerCalls, woken, clock, log } = bench({ failure, lookFailures: 1 })
    wait(1)
    ledgerCalls.counts = dispatchable(1)
    await clock.advance(pollResyncMs)
    expect([woken, log.lines.filter(({ level }) => level === 'error').length]).toEqual([[], errors])
    await clock.advance(pollResyncMs)
    expect([woken, ledgerCalls.looks]).toEqual([[1], 2])
  })

  it('cost nothing when the last one has left', async () => {
    const { wait, ledgerCalls, clock } = bench()
    wait(1).leave()
    await clock.advance(60_000)
    expect(ledgerCalls.looks).toBe(0)
  })

  it('send their heartbeats together, within a second', async () => {
    const { wait, ledgerCalls, clock, woken } = bench()
    for (const id of [1, 2, 3]) wait(id)
    wait(4).leave()
    await clock.advance(1_000)
    expect(ledgerCalls.heartbeats).toEqual([[1, 2, 3]])
    await clock.advance(3_000)
    expect(ledgerCalls.heartbeats).toHaveLength(1)
    expect(woken).toEqual([])
  })

  it('are stale where the ledger does not have them as polling any more', async () => {
    const { wait, ledgerCalls, clock, woken } = bench()
    ledgerCalls.gone.add(2)
    const [one, two] = [wait(1), wait(2)]
    await clock.advance(1_000)
    expect([one.isStale(), two.isStale()]).toEqual([false, true])
    expect(woken).toEqual([2])
  })

  it.each([
    ['did not answer', silence, 0],
    ['failed, which is logged', new Error('a test'), 1],
  ])('send their heartbeat again to a ledger that %s', async (_, failure, lines) => {
    const { wait, ledgerCalls, clock, log } = bench({ failures: 1, failure })
    wait(1)
    await clock.advance(1_000)
    expect(ledgerCalls.heartbeats).toEqual([])
    await clock.advance(1_000)
    expect(ledgerCalls.heartbeats).toEqual([[1]])
    expect(log.lines).toHaveLength(lines)
  })
})

describe('a runner whose poll ended because its time was over', () => {
  function goneWith(id: number) {
    const made = bench()
    const waiter = made.wait(id)
    waiter.expectBack()
    waiter.leave()
    return made
  }

  it('is expected back, and has no news without a wake-up', async () => {
    const { waiters } = goneWith(1)
    expect(waiters.recent('linux-1')).toMatchObject({ id: 1 })
    const back = waiters.join(runnerOf(1))
    expect([back.isBack, back.hasNews()]).toEqual([true, false])
    expect(waiters.recent('linux-1')).toBeNull()
  })

  it('has news where its pool was woken while it was away', async () => {
    const { waiters, wake } = goneWith(1)
    wake({ kind: 'jobs', pool: 'linux' })
    const back = waiters.join(runnerOf(1))
    expect([back.isBack, back.hasNews()]).toEqual([true, true])
    back.look()
    expect(back.hasNews()).toBe(false)
  })

  it.each<[string, Wake]>([
    ['he was fenced', { kind: 'fenced', runnerId: 1 }],
    ['something was missed', { kind: 'everything' }],
  ])('is unknown where %s', (_, news) => {
    const { waiters, wake } = goneWith(1)
    wake(news)
    expect(waiters.recent('linux-1')).toBeNull()
    expect(waiters.join(runnerOf(1)).isBack).toBe(false)
  })

  it('stays expected where another one was fenced', () => {
    const { waiters, wake } = goneWith(1)
    wake({ kind: 'fenced', runnerId: 2 })
    expect(waiters.join(runnerOf(1)).isBack).toBe(true)
  })

  it('is unknown after ten seconds', async () => {
    const { waiters, clock } = goneWith(1)
    await clock.advance(10_000)
    expect(waiters.recent('linux-1')).toBeNull()
    expect(waiters.join(runnerOf(1)).isBack).toBe(false)
  })

  it('is not expected back where it did not use a wake-up', () => {
    const { waiters, wait, wake } = bench()
    const waiter = wait(1)
    wake({ kind: 'fenced', runnerId: 1 })
    waiter.expectBack()
    waiter.leave()
    expect(waiters.recent('linux-1')).toBeNull()
  })
})
