import { describe, expect, it } from 'vitest'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Wake } from '../ports/ledger.ts'
import { done, type Loop, type Outcome, requeueAfter, runLoop } from './index.ts'

/** A clock that tests move, wake-ups that they send, and the passes of the loop. */
function createBench(outcomes: (Outcome | Error)[], extra: Partial<Loop> = {}) {
  let now = 0
  const timers = new Set<{ at: number; callback: () => void }>()
  const listeners = new Set<(wake: Wake) => void>()
  const passes: number[] = []
  const failures: unknown[] = []
  const ending = new AbortController()
  const clock: Clock = {
    now: () => now,
    sleep: () => Promise.reject(new Error('a loop waits by its signal')),
    after(delayMs, callback) {
      const timer = { at: now + delayMs, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  const loop: Loop = {
    name: 'test',
    resyncMs: 1_000,
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
    async wake(wake: Wake) {
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
  it('passes at once and then with every resync', async () => {
    const bench = createBench([])
    await bench.advance(999)
    expect(bench.passes).toEqual([0])
    await bench.advance(1_000)
    expect(bench.passes).toEqual([0, 1_000])
    bench.end()
    await bench.ended
  })

  it('passes sooner when a pass asks to be requeued', async () => {
    const bench = createBench([requeueAfter(10)])
    await bench.advance(10)
    expect(bench.passes).toEqual([0, 10])
    bench.end()
    await bench.ended
  })

  it('is woken by a wake-up that concerns it, and not by another', async () => {
    const bench = createBench([])
    await bench.settle()
    await bench.wake({ kind: 'deliveries' })
    expect(bench.passes).toHaveLength(1)
    await bench.wake({ kind: 'recovery' })
    await bench.wake({ kind: 'everything' })
    expect(bench.passes).toHaveLength(3)
    bench.end()
    await bench.ended
  })

  it('reports a pass that failed, and keeps its back-off whatever wakes it', async () => {
    const bench = createBench([broken])
    await bench.settle()
    expect(bench.failures).toEqual([broken])
    await bench.wake({ kind: 'recovery' })
    expect(bench.passes).toEqual([0])
    await bench.advance(500)
    expect(bench.passes[1]).toBe(500)
    bench.end()
    await bench.ended
  })

  it('is woken after its back-off by a wake-up that came during it', async () => {
    const bench = createBench([broken, done])
    await bench.settle()
    await bench.wake({ kind: 'recovery' })
    await bench.advance(500)
    expect(bench.passes).toEqual([0, 500, 500])
    bench.end()
    await bench.ended
  })

  it('ends when its signal is aborted, also while it waits, and leaves nothing behind', async () => {
    const bench = createBench([])
    await bench.settle()
    bench.end()
    await bench.ended
    expect(bench.listeners.size + bench.timers.size).toBe(0)
  })

  it('keeps a gap between passes, however often it is woken, and loses no wake-up', async () => {
    const bench = createBench([], { gapMs: 50 })
    await bench.settle()
    await bench.wake({ kind: 'recovery' })
    await bench.wake({ kind: 'recovery' })
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
      gapMs: 10,
      restFactor: 2,
      pass() {
        starts.push(starts.length)
        return starts.length === 1 ? gate.promise : Promise.resolve(done)
      },
    })
    await bench.advance(100)
    gate.resolve(done) // the pass took 100 ms
    await bench.settle()
    await bench.wake({ kind: 'recovery' })
    await bench.advance(299)
    expect(starts).toHaveLength(1)
    await bench.advance(300)
    expect(starts).toHaveLength(2)
    bench.end()
    await bench.ended
  })

  it('waits at its end for work that its passes left under way', async () => {
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
