import { describe, expect, it } from 'vitest'
import {
  type ControlBench,
  cause,
  createControlBench,
  never,
} from '../../../../test/support/control-bench.ts'
import { aPool } from '../../../../test/support/rows.ts'
import { scaleLoop } from './index.ts'

const scaleOf = (bench: ControlBench) =>
  scaleLoop({ ...bench, bootDeadlineMs: 30_000, stopGraceMs: 1_000, surplusAfterMs: 60_000 })

describe('the scale of a pool', () => {
  it('starts a runner for each job that waits, enrolled before it is started', async () => {
    const bench = await createControlBench()
    await bench.queue()
    await bench.queue()
    await scaleOf(bench).pass(never)
    const enrolled = [...bench.ledger.rows.runners.values()].map(({ name }) => `start ${name}`)
    expect(enrolled).toHaveLength(2)
    expect(bench.host.calls).toEqual(enrolled)
  })

  it('does not start more than the pool may have', async () => {
    const bench = await createControlBench()
    await bench.ledger.putPools([aPool({ maxRunners: 1 })], cause)
    await bench.queue()
    await bench.queue()
    await scaleOf(bench).pass(never)
    expect(bench.host.calls).toHaveLength(1)
  })

  it('does not start a second runner for a job while the first one boots', async () => {
    const bench = await createControlBench()
    await bench.queue()
    const loop = scaleOf(bench)
    await loop.pass(never)
    await loop.pass(never)
    expect(bench.host.calls).toHaveLength(1)
  })

  it('keeps runners warm', async () => {
    const bench = await createControlBench()
    await bench.ledger.putPools([aPool({ minWarm: 2 })], cause)
    await scaleOf(bench).pass(never)
    expect(bench.host.calls).toHaveLength(2)
  })

  it('removes what is too much only after a while, fenced before it is stopped', async () => {
    const bench = await createControlBench()
    const runner = await bench.runner()
    await bench.ledger.polled(runner.id)
    const loop = scaleOf(bench)
    await loop.pass(never)
    expect(bench.host.calls).toEqual([])
    await bench.advance(60_000)
    await loop.pass(never)
    expect(bench.host.calls).toEqual([`stop ${runner.name}: more runners than needed`])
    expect((await bench.ledger.findRunner(runner.name))?.state).toBe('fenced')
  })

  it('does not stop a runner that was given a job meanwhile', async () => {
    const bench = await createControlBench()
    const runner = await bench.runner()
    await bench.ledger.polled(runner.id)
    const loop = scaleOf({
      ...bench,
      ledger: { ...bench.ledger, fence: async () => 'refused' as const },
    })
    await loop.pass(never)
    await bench.advance(60_000)
    await loop.pass(never)
    expect(bench.host.calls).toEqual([])
  })

  it('leaves the number as it is when the counts cannot be read', async () => {
    const bench = await createControlBench()
    await bench.queue()
    const ledger = { ...bench.ledger, counts: () => Promise.reject(new Error('away')) }
    await expect(scaleOf({ ...bench, ledger }).pass(never)).rejects.toThrow('away')
    expect(bench.host.calls).toEqual([])
  })
})
