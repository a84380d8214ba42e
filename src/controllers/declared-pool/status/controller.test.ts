import { describe, expect, it } from 'vitest'
import { createControlBench, never } from '../../../../test/support/control-bench.ts'
import { aDeclaredPool, declaredPools } from '../../../../test/support/declared-pools.ts'
import { aDeathRecord } from '../../../domain/death/testing.ts'
import { createStartProblems } from '../../pool/start-problems.ts'
import { statusLoop } from './index.ts'

async function createStatus() {
  const bench = await createControlBench()
  const pools = declaredPools(aDeclaredPool())
  const startProblems = createStartProblems()
  const loop = statusLoop({ ...bench, pools, startProblems })
  const reasons = () => pools.events.map(({ reason }) => reason)
  return { bench, pools, startProblems, loop, reasons }
}

describe('the status of a declared pool', () => {
  it('has the counts of the ledger', async () => {
    const { bench, pools, loop } = await createStatus()
    await bench.queue()
    await bench.queue()
    const runner = await bench.runner()
    await bench.ledger.polled(runner.id)
    await bench.ledger.claim(runner, '11111111-1111-4111-8111-111111111111', 60_000)
    await bench.runner('linux-0002')
    await loop.pass(never)
    expect(pools.statuses.get('linux')).toMatchObject({
      observedGeneration: 1,
      queued: 1,
      idle: 0,
      busy: 1,
      starting: 1,
      leaving: 0,
      desired: 2,
    })
  })

  it('delays changed numbers, and writes a changed condition at once', async () => {
    const { bench, pools, startProblems, loop } = await createStatus()
    await bench.runner('linux-0001')
    await loop.pass(never)
    await bench.runner('linux-0002')
    await bench.advance(1_000)
    expect(await loop.pass(never)).toEqual({ kind: 'requeue-after', afterMs: 9_000 })
    expect(pools.reports).toHaveLength(1)
    await bench.advance(9_000)
    await loop.pass(never)
    expect(pools.statuses.get('linux')?.starting).toBe(2)
    startProblems.note('linux', 'boot', { kind: 'ImagePull', message: 'no such image', since: 1 })
    await loop.pass(never)
    const [ready] = pools.statuses.get('linux')?.conditions ?? []
    expect(ready).toMatchObject({ type: 'Ready', isTrue: false, reason: 'ImagePull' })
  })

  it('reports start problems, rolls and the last runner, once each', async () => {
    const { bench, pools, startProblems, loop, reasons } = await createStatus()
    const runner = await bench.runner()
    bench.host.runners.set(runner.name, 'running')
    bench.host.facts.set(runner.name, { template: 'old' })
    bench.host.templates.set('linux', 'old')
    await loop.pass(never)
    bench.host.templates.set('linux', 'new')
    startProblems.note('linux', 'room', { kind: 'QuotaExceeded', message: 'pods: 4 of 4', since: 1 })
    await loop.pass(never)
    await loop.pass(never)
    expect(reasons()).toEqual(['QuotaExceeded', 'RollBegun'])
    startProblems.note('linux', 'room', null)
    bench.host.runners.set(runner.name, 'exited')
    await bench.ledger.sealDeath(runner.id, aDeathRecord(), 'clean', { source: 'lifecycle' })
    await loop.pass(never)
    expect(reasons().slice(2)).toEqual(['Recovered', 'RollFinished', 'ScaledToZero'])
    expect(pools.events.every(({ about }) => about.kind === 'pool' && about.name === 'linux')).toBe(true)
  })

  it('reports no change from before a restart', async () => {
    const { startProblems, loop, reasons } = await createStatus()
    startProblems.note('linux', 'room', { kind: 'QuotaExceeded', message: 'pods: 4 of 4', since: 1 })
    await loop.pass(never)
    expect(reasons()).toEqual([])
  })

  it('is not degraded by incidents about common causes of deaths', async () => {
    const { bench, pools, loop } = await createStatus()
    const raise = (scope: 'runners' | 'repository', kind: 'deaths-on-node' | 'actions-disabled') =>
      bench.ledger.raiseIncident({ kind, installation: 'sim', scope, key: 'x', reason: '' }, 0)
    const degraded = () => pools.statuses.get('linux')?.conditions.find(({ type }) => type === 'Degraded')
    await raise('runners', 'deaths-on-node')
    await loop.pass(never)
    expect(degraded()).toMatchObject({ isTrue: false })
    await raise('repository', 'actions-disabled')
    await loop.pass(never)
    expect(degraded()).toMatchObject({ isTrue: true })
  })

  it('is not written where the list is not fresh', async () => {
    const { pools, loop } = await createStatus()
    pools.list = () => Promise.reject(new Error('not whole'))
    await expect(loop.pass(never)).rejects.toThrow('not whole')
    expect(pools.reports).toEqual([])
  })

  it('is written although that of another pool cannot be, which is retried', async () => {
    const { pools, loop } = await createStatus()
    pools.declared.unshift(aDeclaredPool({ name: 'poison' }))
    const { report } = pools
    pools.report = (pool, ...rest) =>
      pool.name === 'poison' ? Promise.reject(new Error('a test')) : report(pool, ...rest)
    await expect(loop.pass(never)).rejects.toThrow('a test')
    expect([...pools.statuses.keys()]).toEqual(['linux'])
    pools.report = report
    await loop.pass(never)
    expect(pools.statuses.has('poison')).toBe(true)
  })
})
