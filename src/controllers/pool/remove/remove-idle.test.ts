import { describe, expect, it } from 'vitest'
import { cause, createControlBench } from '../../../../test/support/control-bench.ts'
import { removeIdle } from './index.ts'

describe('removing an idle runner', () => {
  it('fences it before it is stopped', async () => {
    const bench = await createControlBench()
    const runner = await bench.runner()
    bench.host.runners.set(runner.name, 'running')
    const stops: unknown[] = []
    const { stop } = bench.host
    bench.host.stop = async (name, order) => {
      stops.push((await bench.ledger.findRunner(name))?.state, order)
      return stop(name, order)
    }
    expect(await removeIdle(bench, runner, 'its node is drained', cause)).toBe('leaving')
    expect(stops).toEqual(['fenced', { reason: 'its node is drained', graceMs: 1_000, evenIfStarted: false }])
  })

  it('does not stop a runner that has a job', async () => {
    const bench = await createControlBench()
    await bench.queue()
    const runner = await bench.runner()
    await bench.ledger.polled(runner.id)
    await bench.ledger.claim(runner, 'a-handle', 60_000)
    expect(await removeIdle(bench, runner, 'a test', cause)).toBe('taken')
    expect(bench.host.calls).toEqual([])
  })

  it('leaves a runner whose program has started (I4)', async () => {
    const bench = await createControlBench()
    const runner = await bench.runner()
    bench.host.runners.set(runner.name, 'running')
    bench.host.facts.set(runner.name, { program: 'started' })
    expect(await removeIdle(bench, runner, 'a test', cause)).toBe('started')
    expect(bench.host.calls).toEqual([])
  })
})
