import { describe, expect, it } from 'vitest'
import { createControlBench, never } from '../../../../test/support/control-bench.ts'
import { aDeclaredPool, declaredPools } from '../../../../test/support/declared-pools.ts'
import { aPool } from '../../../../test/support/rows.ts'
import { poolProblemsLoop } from './index.ts'

async function createBench() {
  const bench = await createControlBench()
  const loop = poolProblemsLoop({ ...bench, pools: null })
  const pass = () => loop.pass(never)
  const open = async () =>
    (await bench.ledger.incidents(0))
      .filter(({ closedAt }) => closedAt === null)
      .map(({ kind, key, reason }) => ({ kind, key, reason }))
  const note = (message: string | null, pool = 'linux') =>
    bench.startProblems.note(
      pool,
      'boot',
      message === null ? null : { kind: 'ImagePull', message, since: bench.clock.now() },
    )
  return { ...bench, loop, pass, open, note }
}

describe('a pool whose runners do not start', () => {
  it('is an incident that says why and what to do, once it has lasted', async () => {
    const bench = await createBench()
    bench.note('no such image.')
    await bench.pass()
    expect(await bench.open()).toEqual([])
    await bench.advance(30_000)
    await bench.pass()
    const reason = 'ImagePull: no such image. Check the name of the image and the pull secret.'
    expect(await bench.open()).toEqual([{ kind: 'runners-not-starting', key: 'linux', reason }])
    expect(bench.metrics.counts.get('holdfast_incidents_total{runners-not-starting}')).toBe(1)
  })

  it('is no incident any more after a minute without a problem, and stays one where the problem comes and goes', async () => {
    const bench = await createBench()
    bench.note('no such image.')
    await bench.advance(30_000)
    await bench.pass()
    bench.note(null)
    await bench.pass()
    await bench.advance(50_000)
    bench.note('no such image.')
    await bench.pass()
    bench.note(null)
    await bench.advance(50_000)
    await bench.pass()
    expect(await bench.open()).toHaveLength(1)
    await bench.advance(60_000)
    await bench.pass()
    expect(await bench.open()).toEqual([])
  })

  it('keeps one incident with its latest reason', async () => {
    const bench = await createBench()
    bench.note('no such image.')
    await bench.advance(30_000)
    await bench.pass()
    bench.note('access denied.')
    await bench.pass()
    expect(await bench.open()).toMatchObject([{ reason: expect.stringContaining('access denied') }])
  })

  it('is recorded although another one cannot be, which is retried', async () => {
    const bench = await createBench()
    await bench.ledger.putPools(
      ['gpu', 'linux'].map((name) => aPool({ name })),
      { source: 'operator' },
    )
    for (const pool of ['gpu', 'linux']) bench.note('no such image.', pool)
    await bench.advance(30_000)
    const raiseIncident: typeof bench.ledger.raiseIncident = async (incident, holdMs) => {
      if (incident.key === 'gpu') throw new Error('it cannot be written')
      return bench.ledger.raiseIncident(incident, holdMs)
    }
    const loop = poolProblemsLoop({ ...bench, ledger: { ...bench.ledger, raiseIncident }, pools: null })
    await expect(loop.pass(never)).rejects.toThrow('it cannot be written')
    expect((await bench.open()).map(({ key }) => key)).toEqual(['linux'])
    await bench.pass()
    expect((await bench.open()).map(({ key }) => key).sort()).toEqual(['gpu', 'linux'])
  })
})

it('an invalid RunnerPool is an incident that says how', async () => {
  const bench = await createBench()
  const declared = { kind: 'wrong', problems: ['spec.labels: expected a label'] } as const
  const pools = declaredPools(aDeclaredPool({ name: 'gpu', declared }))
  await poolProblemsLoop({ ...bench, pools }).pass(never)
  expect(await bench.open()).toEqual([
    { kind: 'pool-invalid', key: 'gpu', reason: 'spec.labels: expected a label' },
  ])
})
