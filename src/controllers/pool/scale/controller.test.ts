import { describe, expect, it } from 'vitest'
import { cause, createControlBench, never } from '../../../../test/support/control-bench.ts'
import { pass, queueMany, rowsOf, startsOf } from '../../../../test/support/pool-passes.ts'
import { aPool } from '../../../../test/support/rows.ts'
import { scaleLoop } from './index.ts'

const { provisioning } = aPool()

describe('the scale of a pool', () => {
  it('starts a runner for each queued job, enrolled before it is started', async () => {
    const bench = await createControlBench()
    const known: unknown[] = []
    const { start } = bench.host
    bench.host.start = async (runner, signal) => {
      known.push((await bench.ledger.findRunner(runner.name))?.state)
      return start(runner, signal)
    }
    await queueMany(bench, 2)
    await pass(scaleLoop(bench))
    expect(known).toEqual(['booting', 'booting'])
    expect(startsOf(bench)).toEqual(rowsOf(bench).map(({ name }) => `start ${name}`))
    expect(rowsOf(bench)[0]?.name).toMatch(/^linux-[0-9a-f]{8}$/)
  })

  it('does not start more runners than the pool’s maximum', async () => {
    const bench = await createControlBench()
    await bench.ledger.putPools([aPool({ maxRunners: 1 })], cause)
    await queueMany(bench, 2)
    await pass(scaleLoop(bench))
    expect(startsOf(bench)).toHaveLength(1)
  })

  it('does not start a second runner for a job while the first one boots, even where the host does not list it', async () => {
    const bench = await createControlBench()
    bench.host.list = async () => []
    await bench.queue()
    const loop = scaleLoop(bench)
    await pass(loop)
    await pass(loop)
    await pass(scaleLoop(bench)) // another process
    expect(rowsOf(bench).filter(({ endedAt }) => endedAt === null)).toHaveLength(1)
    expect(startsOf(bench)).toHaveLength(1)
  })

  it('keeps runners warm', async () => {
    const bench = await createControlBench()
    await bench.ledger.putPools([aPool({ minWarm: 2 })], cause)
    await pass(scaleLoop(bench))
    expect(startsOf(bench)).toHaveLength(2)
  })

  it('keeps more warm while a window is open, and is requeued for when it opens', async () => {
    const bench = await createControlBench()
    const atOne = { cron: '1 0 * * *', zone: 'UTC', durationMs: 60_000, minWarm: 3 }
    await bench.ledger.putPools([aPool({ minWarm: 0, warmWindows: [atOne] })], cause)
    const loop = scaleLoop(bench)
    expect(await pass(loop)).toEqual({ kind: 'requeue-after', afterMs: 30_000 })
    await bench.advance(50_000)
    expect(await pass(loop)).toEqual({ kind: 'requeue-after', afterMs: 10_000 })
    await bench.advance(10_000)
    await pass(loop)
    expect(startsOf(bench)).toHaveLength(3)
  })

  it('starts one runner for jobs that are all withheld', async () => {
    const bench = await createControlBench()
    const fairness = { ...aPool().fairness, capPerRepository: 0 }
    await bench.ledger.putPools([aPool({ fairness })], cause)
    await queueMany(bench, 3)
    await pass(scaleLoop(bench))
    expect(startsOf(bench)).toHaveLength(1)
  })

  it('starts no more than the host has headroom for, and reports why', async () => {
    const bench = await createControlBench()
    const problem = { kind: 'QuotaExceeded', message: 'pods: used 10, limited 10', since: 1 } as const
    bench.host.rooms.set('linux', { more: 1, problem: null })
    await queueMany(bench, 3)
    const loop = scaleLoop(bench)
    await pass(loop)
    expect(startsOf(bench)).toHaveLength(1)
    expect(bench.startProblems.of('linux')).toBeNull()
    bench.host.rooms.set('linux', { more: 0, problem: problem })
    await pass(loop)
    expect(startsOf(bench)).toHaveLength(1)
    expect(bench.startProblems.of('linux')).toEqual(problem)
    bench.host.rooms.delete('linux')
    await pass(loop)
    expect(startsOf(bench)).toHaveLength(3)
    expect(bench.startProblems.of('linux')).toBeNull()
  })

  it('lets no more boot at a time than the nodes may, counted by the ledger', async () => {
    const bench = await createControlBench()
    const node = { name: 'a', isReady: true, isCordoned: false, pressures: [] }
    bench.host.nodeList.push(node, { ...node, name: 'b' }, { ...node, name: 'c', isReady: false })
    const bound = { ...provisioning, maxStartingPerNode: 2 }
    await bench.ledger.putPools([aPool({ maxRunners: 20, provisioning: bound })], cause)
    await queueMany(bench, 9)
    const loop = scaleLoop(bench)
    expect(await pass(loop)).toEqual({ kind: 'requeue-after', afterMs: 500 })
    bench.host.runners.clear() // as if the watch lagged
    await pass(loop)
    expect(startsOf(bench)).toHaveLength(4)
    for (const { id } of rowsOf(bench).slice(0, 3)) await bench.ledger.polled(id)
    await pass(loop)
    expect(startsOf(bench)).toHaveLength(7)
  })

  it('tries one runner at a time, without haste, where no runner of the pool starts', async () => {
    const bench = await createControlBench()
    bench.startProblems.stall('linux', true)
    await queueMany(bench, 3)
    const loop = scaleLoop(bench)
    expect(await pass(loop)).toEqual({ kind: 'requeue-after', afterMs: 3_000 })
    await pass(loop)
    expect(startsOf(bench)).toHaveLength(1)
  })

  it('asks the host for headroom only where a runner is to be started', async () => {
    const bench = await createControlBench()
    let requests = 0
    bench.host.headroom = async () => {
      requests += 1
      return { more: null, problem: null }
    }
    const loop = scaleLoop(bench)
    expect(await pass(loop)).toEqual({ kind: 'requeue-after', afterMs: 30_000 }) // nothing is left to do for a while
    expect(requests).toBe(0)
    await bench.queue()
    await pass(loop)
    expect(requests).toBe(1)
  })

  it('gives a runner the boot deadline of its pool', async () => {
    const bench = await createControlBench()
    await bench.ledger.putPools([aPool({ provisioning: { ...provisioning, startDeadlineMs: 7_000 } })], cause)
    await bench.queue()
    await pass(scaleLoop(bench))
    expect(rowsOf(bench)[0]?.checkAt).toBe(bench.clock.now() + 7_000)
  })

  it('leaves the number as it is when its inputs cannot be read', async () => {
    for (const broken of ['counts', 'nodes', 'headroom'] as const) {
      const bench = await createControlBench()
      await bench.queue()
      const away = () => Promise.reject(new Error('away'))
      const ledger = broken === 'counts' ? { ...bench.ledger, counts: away } : bench.ledger
      const host = broken === 'counts' ? bench.host : { ...bench.host, [broken]: away }
      await expect(scaleLoop({ ...bench, ledger, host }).pass(never)).rejects.toThrow('away')
      expect(bench.host.calls).toEqual([])
      expect(rowsOf(bench)).toEqual([])
    }
  })

  it('of a pool for which the host fails stays, and the others grow', async () => {
    const bench = await createControlBench()
    const warm = (name: string) => aPool({ name, minWarm: 1, labels: [name] })
    await bench.ledger.putPools([warm('poison'), warm('linux')], cause)
    const { headroom } = bench.host
    bench.host.headroom = (pool) => (pool === 'poison' ? Promise.reject(new Error('a test')) : headroom(pool))
    const loop = scaleLoop(bench)
    expect(await pass(loop)).toEqual({ kind: 'requeue-after', afterMs: 3_000 })
    expect(rowsOf(bench).map((row) => row.pool)).toEqual(['linux'])
    expect(bench.metrics.counts.get('holdfast_task_failures_total{pool-scale}')).toBe(1)
    bench.host.headroom = headroom
    await pass(loop)
    expect(rowsOf(bench).map((row) => row.pool)).toEqual(['linux', 'poison'])
  })
})
