import { describe, expect, it } from 'vitest'
import { type ControlBench, cause, createControlBench } from '../../../../test/support/control-bench.ts'
import { pass, rowsOf, startsOf, stopsOf } from '../../../../test/support/pool-passes.ts'
import { aPool } from '../../../../test/support/rows.ts'
import { scaleLoop } from './index.ts'

const { provisioning } = aPool()

describe('a surplus runner', () => {
  async function idle(bench: ControlBench, names: readonly string[]): Promise<void> {
    for (const name of names) {
      const runner = await bench.runner(name)
      await bench.ledger.polled(runner.id)
      bench.host.runners.set(name, 'running')
      await bench.advance(1)
    }
  }

  it('is removed after the idle time of its pool, fenced before it is stopped, the oldest first', async () => {
    const bench = await createControlBench()
    await bench.ledger.putPools([aPool({ idleTimeoutMs: 60_000, minWarm: 1 })], cause)
    await idle(bench, ['linux-3', 'linux-1', 'linux-2'])
    const states: unknown[] = []
    const { stop } = bench.host
    bench.host.stop = async (name, order) => {
      states.push((await bench.ledger.findRunner(name))?.state)
      return stop(name, order)
    }
    const loop = scaleLoop(bench)
    expect(await pass(loop)).toEqual({ kind: 'requeue-after', afterMs: 3_000 })
    await bench.advance(59_999)
    expect(await pass(loop)).toEqual({ kind: 'requeue-after', afterMs: 1 })
    expect(stopsOf(bench)).toEqual([])
    await bench.advance(1)
    await pass(loop)
    expect(stopsOf(bench)).toEqual(
      ['linux-3', 'linux-1'].map((name) => `stop ${name}: more runners than needed`),
    )
    expect(states).toEqual(['fenced', 'fenced'])
  })

  it('stays where it was needed in between', async () => {
    const bench = await createControlBench()
    await idle(bench, ['linux-1'])
    const loop = scaleLoop(bench)
    await pass(loop)
    await bench.advance(59_000)
    const jobId = await bench.queue()
    await pass(loop)
    await bench.ledger.closeJob(jobId, 'cancelled', cause)
    await bench.advance(2_000)
    await pass(loop)
    await bench.advance(59_000)
    await pass(loop)
    expect(stopsOf(bench)).toEqual([])
  })

  it('is removed although another one cannot be', async () => {
    const bench = await createControlBench()
    await bench.ledger.putPools([aPool({ idleTimeoutMs: 60_000, minWarm: 1 })], cause)
    await idle(bench, ['linux-1', 'linux-2'])
    const { fence } = bench.ledger
    const ledger: typeof bench.ledger = {
      ...bench.ledger,
      fence: (id, ...rest) => (id === 1 ? Promise.reject(new Error('a test')) : fence(id, ...rest)),
    }
    const loop = scaleLoop({ ...bench, ledger })
    await pass(loop)
    await bench.advance(60_000)
    await pass(loop)
    expect(stopsOf(bench)).toEqual([]) // one is too many, and the oldest cannot be removed
    await bench.advance(1_000)
    await pass(loop)
    expect(stopsOf(bench)).toEqual(['stop linux-2: more runners than needed'])
    expect(bench.log.lines.some(({ fields }) => fields.runner === 'linux-1')).toBe(true)
  })

  it('is not stopped where it was given a job meanwhile, or where its program has started', async () => {
    const bench = await createControlBench()
    await idle(bench, ['linux-1', 'linux-2'])
    bench.host.facts.set('linux-2', { program: 'started' })
    const { fence } = bench.ledger
    const ledger = {
      ...bench.ledger,
      fence: async (...args: Parameters<typeof fence>) => (args[0] === 1 ? 'refused' : fence(...args)),
    }
    const loop = scaleLoop({ ...bench, ledger })
    await pass(loop)
    await bench.advance(60_000)
    await pass(loop)
    expect(stopsOf(bench)).toEqual([])
  })

  it('is not removed from another host', async () => {
    const bench = await createControlBench()
    await idle(bench, ['linux-1'])
    const row = { name: 'linux-0', pool: 'linux', host: 'elsewhere', identityHash: null, bootDeadlineMs: 1 }
    await bench.ledger.polled((await bench.ledger.enrol(row, cause)).id)
    const loop = scaleLoop(bench)
    await pass(loop)
    await bench.advance(60_000)
    await pass(loop)
    expect(stopsOf(bench)).toEqual(['stop linux-1: more runners than needed'])
  })

  it('is withdrawn where its start has not begun', async () => {
    const bench = await createControlBench()
    const wide = { ...provisioning, maxStartingPerNode: 100 }
    await bench.ledger.putPools([aPool({ maxRunners: 100, provisioning: wide, idleTimeoutMs: 0 })], cause)
    const jobs: number[] = []
    for (let n = 0; n < 18; n += 1) jobs.push(await bench.queue())
    const gate = Promise.withResolvers<void>()
    const { start } = bench.host
    bench.host.start = async (...args) => {
      await gate.promise
      return start(...args)
    }
    const loop = scaleLoop(bench)
    await pass(loop)
    for (const id of jobs) await bench.ledger.closeJob(id, 'cancelled', cause)
    await pass(loop)
    gate.resolve()
    await pass(loop)
    expect(startsOf(bench)).toHaveLength(16)
    const states = rowsOf(bench).map(({ state }) => state)
    expect(states.filter((state) => state === 'ended')).toHaveLength(2)
    expect(states.filter((state) => state === 'fenced')).toHaveLength(16)
  })

  it('is removed at once where its pool is not declared any more, and finishes its job first', async () => {
    const bench = await createControlBench()
    await bench.queue()
    await idle(bench, ['linux-1', 'linux-2'])
    const worker = rowsOf(bench)[0]
    if (worker === undefined) throw new Error('there is no runner')
    await bench.ledger.claim(worker, 'a-handle', 60_000)
    await bench.ledger.putPools([aPool({ name: 'other', labels: ['other'] })], cause)
    await pass(scaleLoop(bench))
    expect(stopsOf(bench)).toEqual(['stop linux-2: its pool is not declared any more'])
  })
})
