import { describe, expect, it } from 'vitest'
import { ManualClock, settled } from '../../../platform/lifecycle/fakes.ts'
import type { Worked } from '../../../ports/work-queue.ts'
import { keptLog, untilTestEnds } from '../testing/bench.ts'
import { createWorkQueue, type WorkQueueOptions } from './work-queue.ts'

const done: Worked = { kind: 'done' }

/** A queue whose work ends when the test says so, or at once. */
function queue(options: Partial<WorkQueueOptions> = {}, ends?: (key: string) => Promise<Worked> | Worked) {
  const clock = new ManualClock()
  const log = keptLog()
  const begun: string[] = []
  const open = new Map<string, { end(worked: Worked): void; fail(): void }>()
  const work = async (key: string): Promise<Worked> => {
    begun.push(`${key}@${clock.now()}`)
    if (ends !== undefined) return ends(key)
    const { promise, resolve, reject } = Promise.withResolvers<Worked>()
    open.set(key, { end: resolve, fail: () => reject(new Error('no')) })
    return promise
  }
  const entropy = { fraction: () => 1 }
  const ours = createWorkQueue({ name: 'test', work, ...options }, { clock, entropy, log })
  const stop = untilTestEnds((signal) => ours.run(signal))
  const end = async (key: string, worked = done) => {
    open.get(key)?.end(worked)
    await settled()
  }
  const fail = async (key: string) => {
    open.get(key)?.fail()
    await settled()
  }
  return { ours, clock, log, begun, end, fail, stop }
}

describe('a key', () => {
  it('that is added often while it waits is worked on once', async () => {
    const { ours, begun } = queue({}, () => done)
    for (let index = 0; index < 5; index += 1) ours.add('a')
    ours.add('b')
    await settled()
    expect(begun).toEqual(['a@0', 'b@0'])
  })

  it('that is added while it is worked on is worked on again afterwards, never at the same time', async () => {
    const { ours, begun, end } = queue()
    ours.add('a')
    await settled()
    ours.add('a')
    ours.add('a')
    await settled()
    expect([begun, ours.state().workingCount]).toEqual([['a@0'], 1])
    await end('a')
    expect(begun).toEqual(['a@0', 'a@0'])
    await end('a')
    expect(ours.state()).toEqual({ waitingCount: 0, delayedCount: 0, workingCount: 0, failingCount: 0 })
  })

  it('that fails is tried again after a pause that doubles up to its bound', async () => {
    const { ours, clock, begun, log } = queue({ failurePauseMs: 100, failurePauseMaxMs: 300 }, () => {
      throw new Error('no')
    })
    ours.add('a')
    await clock.advance(1_000)
    expect(begun).toEqual(['a@0', 'a@100', 'a@300', 'a@600', 'a@900'])
    expect(log.lines[0]).toBe('error work failed unexpectedly and is repeated')
  })

  it('that fails keeps its pause although it is added again, and does not keep others', async () => {
    const { ours, clock, begun, end, fail } = queue({ failurePauseMs: 100 })
    ours.add('a')
    await settled()
    ours.add('a')
    await fail('a')
    ours.add('a')
    ours.addAfter('a', 10)
    ours.add('b')
    await clock.advance(99)
    expect(begun).toEqual(['a@0', 'b@0'])
    await clock.advance(1)
    expect(begun).toEqual(['a@0', 'b@0', 'a@100'])
    for (const key of ['a', 'b']) await end(key)
    expect(ours.state().failingCount).toBe(0)
  })

  it('that succeeded begins with the first pause when it fails again', async () => {
    const outcomes = ['no', 'no', 'yes', 'no', 'yes']
    const { ours, clock, begun } = queue({ failurePauseMs: 100 }, () => {
      if (outcomes.shift() === 'no') throw new Error('no')
      return done
    })
    ours.add('a')
    await clock.advance(1_000)
    ours.add('a')
    await clock.advance(1_000)
    expect(begun).toEqual(['a@0', 'a@100', 'a@300', 'a@1000', 'a@1100'])
  })

  it('that is to be looked at again is, at the earliest of its times', async () => {
    const { ours, clock, begun } = queue({}, () => done)
    ours.addAfter('a', 500)
    ours.addAfter('a', 200)
    ours.addAfter('a', 300)
    await clock.advance(1_000)
    expect(begun).toEqual(['a@200'])
  })

  it('whose work asks for another look gets it, sooner where it is added', async () => {
    const { ours, clock, begun, end } = queue()
    ours.add('a')
    await settled()
    await end('a', { kind: 'again', inMs: 500 })
    await clock.advance(500)
    expect(begun).toEqual(['a@0', 'a@500'])
    await end('a', { kind: 'again', inMs: 500 })
    await clock.advance(100)
    ours.add('a')
    await settled()
    expect(begun).toEqual(['a@0', 'a@500', 'a@600'])
    await end('a')
    await clock.advance(1_000)
    expect(begun).toHaveLength(3)
  })
})

describe('a queue', () => {
  it('has no more workers than it may', async () => {
    const { ours, begun, end } = queue({ workersMax: 2 })
    for (const key of ['a', 'b', 'c']) ours.add(key)
    await settled()
    expect([begun, ours.state().waitingCount]).toEqual([['a@0', 'b@0'], 1])
    await end('b')
    expect(begun).toEqual(['a@0', 'b@0', 'c@0'])
    for (const key of ['a', 'c']) await end(key)
  })

  it('begins no more than its rate allows once the burst is over', async () => {
    const { ours, clock, begun } = queue({ perSecondMax: 10, burstMax: 2 }, () => done)
    for (const key of ['a', 'b', 'c', 'd']) ours.add(key)
    await clock.advance(1_000)
    expect(begun).toEqual(['a@0', 'b@0', 'c@100', 'd@200'])
  })

  it('ends when what is being worked on has ended, and begins nothing more', async () => {
    const { ours, begun, end, stop } = queue({ workersMax: 1 })
    ours.add('a')
    ours.add('b')
    await settled()
    let hasEnded = false
    const ending = stop().then(() => {
      hasEnded = true
    })
    await settled()
    expect(hasEnded).toBe(false)
    await end('a')
    await ending
    expect(begun).toEqual(['a@0'])
  })
})
