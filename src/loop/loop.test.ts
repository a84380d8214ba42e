import { describe, expect, it } from 'vitest'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Wake } from '../ports/ledger.ts'
import { again, done, type Loop, type Outcome, runLoop } from './index.ts'

/** A clock that tests move, a bell that they ring, and what the loop did. */
function createBench(outcomes: (Outcome | Error)[], extra: Partial<Loop> = {}) {
  let now = 0
  const timers = new Set<{ at: number; callback: () => void }>()
  const listeners = new Set<(wake: Wake) => void>()
  const passes: number[] = []
  const failures: unknown[] = []
  const ending = new AbortController()
  const clock: Clock = {
    now: () => now,
    sleep: () => Promise.reject(new Error('a loop waits by its bell')),
    after(delayMs, callback) {
      const timer = { at: now + delayMs, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  const loop: Loop = {
    name: 'test',
    sweepMs: 1_000,
    wokenBy: (wake) => wake.kind === 'recovery',
    async pass() {
      passes.push(now)
      const outcome = outcomes.shift() ?? done
      if (outcome instanceof Error) throw outcome
      return outcome
    },
    ...extra,
  }
  const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log }
  const ended = runLoop(
    loop,
    {
      clock,
      entropy: { bytes: () => new Uint8Array(), fraction: () => 0 },
      log,
      onWake(callback) {
        listeners.add(callback)
        return () => listeners.delete(callback)
      },
      onFailure: (_, error) => failures.push(error),
    },
    ending.signal,
  )
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    passes,
    failures,
    ended,
    listeners,
    timers,
    end: () => ending.abort(),
    settle,
    async ring(wake: Wake) {
      for (const listener of listeners) listener(wake)
      await settle()
    },
    async advance(toMs: number) {
      await settle()
      now = toMs
      for (const timer of [...timers].filter(({ at }) => at <= now)) {
        timers.delete(timer)
        timer.callback()
      }
      await settle()
    },
  }
}

const broken = new HoldfastError('E_BUG', { what: 'a test' })

describe('a loop', () => {
  it('passes at once and then with every sweep', async () => {
    const bench = createBench([])
    await bench.advance(999)
    expect(bench.passes).toEqual([0])
    await bench.advance(1_000)
    expect(bench.passes).toEqual([0, 1_000])
    bench.end()
    await bench.ended
  })

  it('comes back sooner when a pass says so', async () => {
    const bench = createBench([again(10)])
    await bench.advance(10)
    expect(bench.passes).toEqual([0, 10])
    bench.end()
    await bench.ended
  })

  it('is woken by what concerns it, and not by what does not', async () => {
    const bench = createBench([])
    await bench.settle()
    await bench.ring({ kind: 'deliveries' })
    expect(bench.passes).toHaveLength(1)
    await bench.ring({ kind: 'recovery' })
    await bench.ring({ kind: 'everything' })
    expect(bench.passes).toHaveLength(3)
    bench.end()
    await bench.ended
  })

  it('tells of a pass that failed, and keeps its back-off whoever rings', async () => {
    const bench = createBench([broken])
    await bench.settle()
    expect(bench.failures).toEqual([broken])
    await bench.ring({ kind: 'recovery' })
    expect(bench.passes).toEqual([0])
    await bench.advance(500)
    expect(bench.passes[1]).toBe(500)
    bench.end()
    await bench.ended
  })

  it('hears after its back-off who rang during it', async () => {
    const bench = createBench([broken, done])
    await bench.settle()
    await bench.ring({ kind: 'recovery' })
    await bench.advance(500)
    expect(bench.passes).toEqual([0, 500, 500])
    bench.end()
    await bench.ended
  })

  it('ends when it is asked to, also while it waits, and leaves nothing behind', async () => {
    const bench = createBench([])
    await bench.settle()
    bench.end()
    await bench.ended
    expect(bench.listeners.size + bench.timers.size).toBe(0)
  })

  it('leaves a gap between passes, however often it is woken, and forgets no wake-up', async () => {
    const bench = createBench([], { gapMs: 50 })
    await bench.settle()
    await bench.ring({ kind: 'recovery' })
    await bench.ring({ kind: 'recovery' })
    expect(bench.passes).toEqual([0])
    await bench.advance(50)
    expect(bench.passes[1]).toBe(50)
    bench.end()
    await bench.ended
  })

  it('rests for as many times as its pass took, where it wants to', async () => {
    const gate = Promise.withResolvers<Outcome>()
    const starts: number[] = []
    const bench = createBench([], {
      ...{ gapMs: 10, restFactor: 2 },
      pass() {
        starts.push(starts.length)
        return starts.length === 1 ? gate.promise : Promise.resolve(done)
      },
    })
    await bench.advance(100)
    gate.resolve(done) // the pass took 100 ms
    await bench.settle()
    await bench.ring({ kind: 'recovery' })
    await bench.advance(299)
    expect(starts).toHaveLength(1)
    await bench.advance(300)
    expect(starts).toHaveLength(2)
    bench.end()
    await bench.ended
  })

  it('waits at its end for what its passes left under way', async () => {
    const gate = Promise.withResolvers<void>()
    const bench = createBench([], { ended: () => gate.promise })
    await bench.settle()
    let isOver = false
    const over = bench.ended.then(() => {
      isOver = true
    })
    bench.end()
    await bench.settle()
    expect(isOver).toBe(false)
    gate.resolve()
    await over
  })
})
