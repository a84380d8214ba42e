import { describe, expect, it } from 'vitest'
import { type ControlBench, cause, createControlBench } from '../../../../test/support/control-bench.ts'
import { pass, stopsOf } from '../../../../test/support/pool-passes.ts'
import { aPool } from '../../../../test/support/rows.ts'
import { aDeathRecord } from '../../../domain/death/testing.ts'
import { scaleLoop } from '../scale/index.ts'
import { rollLoop } from './index.ts'

const rollOf = (bench: ControlBench) => rollLoop({ ...bench, pools: null })

/** Idle runners that were made from the template `old`, while the pool has `new`. */
async function oldRunners(bench: ControlBench, count: number): Promise<void> {
  await bench.ledger.putPools([aPool({ maxRunners: 100, minWarm: count })], cause)
  for (let n = 0; n < count; n += 1) {
    const runner = await bench.runner(`linux-${n}`)
    await bench.ledger.polled(runner.id)
    bench.host.runners.set(runner.name, 'running')
    bench.host.facts.set(runner.name, { template: 'old', program: 'waiting' })
    await bench.advance(1)
  }
  bench.host.templates.set('linux', 'new')
}

/** Plays the cluster and the lifecycle: stopped runners are gone, and started ones poll for a job. */
async function liveOn(bench: ControlBench, getsReady: boolean): Promise<void> {
  for (const runner of (await bench.ledger.runners(0)).rows) {
    if (runner.state === 'fenced') {
      bench.host.runners.delete(runner.name)
      await bench.ledger.sealDeath(runner.id, record, 'removed', cause)
    } else if (runner.state === 'booting' && getsReady) await bench.ledger.polled(runner.id)
  }
}
const record = aDeathRecord({ class: 'terminated' })

describe('a new template', () => {
  it('replaces a share of the idle old runners, the oldest first, and is requeued', async () => {
    const bench = await createControlBench()
    await oldRunners(bench, 8)
    const loop = rollOf(bench)
    expect(await pass(loop)).toEqual({ kind: 'requeue-after', afterMs: 1_000 })
    expect(stopsOf(bench)).toEqual([0, 1].map((n) => `stop linux-${n}: its pool has a new template`))
    await pass(loop)
    expect(stopsOf(bench)).toHaveLength(2) // those that left are not replaced yet
  })

  it('replaces the others where one cannot be removed', async () => {
    const bench = await createControlBench()
    await oldRunners(bench, 3)
    const { fence } = bench.ledger
    const ledger: typeof bench.ledger = {
      ...bench.ledger,
      fence: (id, ...rest) => (id === 1 ? Promise.reject(new Error('a test')) : fence(id, ...rest)),
    }
    const loop = rollLoop({ ...bench, ledger, pools: null })
    expect(await pass(loop)).toEqual({ kind: 'requeue-after', afterMs: 1_000 })
    expect(stopsOf(bench)).toEqual([]) // one at a time may go, and it cannot
    for (let turn = 0; turn < 20; turn += 1) {
      await pass(scaleLoop(bench))
      await liveOn(bench, true)
      await bench.advance(1_000)
      await pass(loop)
    }
    expect(
      stopsOf(bench)
        .map((call) => call.slice(0, 'stop linux-0'.length))
        .toSorted(),
    ).toEqual([1, 2].map((n) => `stop linux-${n}`))
  })

  it('waits for runners that are still leaving', async () => {
    const bench = await createControlBench()
    await oldRunners(bench, 8)
    await bench.ledger.putPools([aPool({ maxRunners: 8, minWarm: 8 })], cause) // none can begin before one is gone
    const loop = rollOf(bench)
    await pass(loop)
    await pass(loop)
    expect(stopsOf(bench)).toHaveLength(2)
  })

  it('waits for their replacements', async () => {
    const bench = await createControlBench()
    await oldRunners(bench, 8)
    const loop = rollOf(bench)
    await pass(loop)
    await liveOn(bench, true)
    await pass(loop)
    expect(stopsOf(bench)).toHaveLength(2)
  })

  it('replaces all of them at the pace at which new ones become ready', async () => {
    const bench = await createControlBench()
    await oldRunners(bench, 8)
    const roll = rollOf(bench)
    const scale = scaleLoop(bench)
    const ready: number[] = []
    for (let step = 0; step < 40; step += 1) {
      await pass(roll)
      await pass(scale)
      ready.push((await bench.ledger.runners(0)).rows.filter(({ state }) => state === 'polling').length)
      await liveOn(bench, step % 2 === 0)
    }
    expect(Math.min(...ready)).toBeGreaterThanOrEqual(6)
    const left = await bench.host.list()
    expect(left.map(({ template }) => template)).toEqual(Array.from({ length: 8 }, () => 'new'))
    expect(await pass(roll)).toEqual({ kind: 'done' })
  })

  it('leaves the old ones where new ones never become ready, and replaces those at once when it is corrected', async () => {
    const bench = await createControlBench()
    await oldRunners(bench, 8)
    const roll = rollOf(bench)
    const scale = scaleLoop(bench)
    for (let step = 0; step < 10; step += 1) {
      await pass(roll)
      await pass(scale)
      await liveOn(bench, false)
    }
    const bad = (await bench.ledger.runners(0)).rows.filter(({ state }) => state === 'booting')
    expect(bad).toHaveLength(2)
    bench.host.templates.set('linux', 'corrected')
    bench.host.calls.length = 0
    await pass(roll)
    expect(stopsOf(bench)).toEqual(bad.map(({ name }) => `stop ${name}: its pool has a new template`))
  })

  it('does not touch runners that have a job, or may have one', async () => {
    const bench = await createControlBench()
    await oldRunners(bench, 2)
    bench.host.facts.set('linux-0', { template: 'old', program: 'started' })
    bench.host.facts.set('linux-1', { template: 'old', program: 'unknown' })
    await bench.queue()
    const second = await bench.ledger.findRunner('linux-1')
    if (second === null) throw new Error('there is no runner')
    await bench.ledger.claim(second, 'a-handle', 60_000)
    expect(await pass(rollOf(bench))).toEqual({ kind: 'done' })
    expect(stopsOf(bench)).toEqual([])
  })

  it('is noticed when the pool’s declaration changes', async () => {
    const bench = await createControlBench()
    const callbacks = new Set<() => void>()
    const onChange = (callback: () => void) => {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    }
    let rung = 0
    const forget = rollLoop({ ...bench, pools: { onChange } }).subscribe?.(() => {
      rung += 1
    })
    for (const callback of callbacks) callback()
    expect(rung).toBe(1)
    forget?.()
    expect(callbacks.size).toBe(0)
  })

  it('does nothing where the template never changes', async () => {
    const bench = await createControlBench()
    await oldRunners(bench, 2)
    bench.host.templates.clear()
    expect(await pass(rollOf(bench))).toEqual({ kind: 'done' })
  })
})

describe('a roll that is over', () => {
  it('does not look at every runner again before its resync, unless the template changes', async () => {
    const bench = await createControlBench()
    await oldRunners(bench, 1)
    bench.host.templates.set('linux', 'old')
    let lists = 0
    const { list } = bench.host
    bench.host.list = () => {
      lists += 1
      return list()
    }
    const loop = rollOf(bench)
    await pass(loop)
    await pass(loop)
    expect(lists).toBe(1)
    await bench.advance(30_000)
    await pass(loop)
    expect(lists).toBe(2)
    bench.host.templates.set('linux', 'new')
    await pass(loop)
    expect(stopsOf(bench)).toHaveLength(1)
  })
})
