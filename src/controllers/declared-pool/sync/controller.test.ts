import { describe, expect, it } from 'vitest'
import { cause, createControlBench, never } from '../../../../test/support/control-bench.ts'
import { aDeclaredPool, declaredPools } from '../../../../test/support/declared-pools.ts'
import { aPool } from '../../../../test/support/rows.ts'
import { aDeathRecord } from '../../../domain/death/testing.ts'
import type { Pool } from '../../../domain/pool/index.ts'
import type { DeclaredPool } from '../../../ports/declared-pools.ts'
import { syncLoop } from './index.ts'

const leader = () => ({ lease: 'fleet', token: '7' })
const wrong = { kind: 'wrong', problems: ['spec.minWarm: got 9, expected at most maxRunners'] } as const

async function createSync(...declared: DeclaredPool[]) {
  const bench = await createControlBench()
  const pools = declaredPools(...declared)
  const puts: (readonly Pool[])[] = []
  const ledger: typeof bench.ledger = {
    ...bench.ledger,
    putPools(all, by, as) {
      puts.push(all)
      return bench.ledger.putPools(all, by, as)
    },
  }
  const loop = syncLoop({ ...bench, ledger, pools, leader })
  const names = async () => (await bench.ledger.pools()).map(({ name }) => name)
  return { bench, pools, loop, puts, names }
}

function declare(name: string, over: Partial<Pool> = {}): DeclaredPool {
  const plain = aDeclaredPool({ name })
  if (plain.declared.kind === 'wrong') throw new Error('a plain pool is right')
  return { ...plain, declared: { ...plain.declared, pool: aPool({ name, ...over }) } }
}

describe('declared pools', () => {
  it('become the pools of the ledger, and are written only after a change', async () => {
    const { loop, puts, names, pools } = await createSync(declare('linux'), declare('gpu'))
    await loop.pass(never)
    await loop.pass(never)
    expect(await names()).toEqual(['linux', 'gpu'])
    expect(puts).toHaveLength(1)
    pools.declared[0] = declare('linux', { maxRunners: 9 })
    await loop.pass(never)
    expect(puts).toHaveLength(2)
  })

  it('are not written by a deposed leader', async () => {
    const { bench, loop, names } = await createSync(declare('gpu'))
    await bench.ledger.putPools([aPool()], cause, { lease: 'fleet', token: '8' })
    await loop.pass(never)
    expect(await names()).toEqual(['linux'])
  })

  it('change nothing where the list is not fresh, nor where it is suddenly empty (I10)', async () => {
    const { loop, pools, puts } = await createSync()
    await loop.pass(never)
    pools.list = () => Promise.reject(new Error('not whole'))
    await expect(loop.pass(never)).rejects.toThrow('not whole')
    expect(puts).toEqual([])
  })

  it('keep their last valid version where they are invalid and have runners or jobs', async () => {
    const { bench, loop, names, pools } = await createSync(declare('linux', { maxRunners: 3 }))
    await loop.pass(never)
    await bench.queue()
    pools.declared[0] = aDeclaredPool({ declared: wrong, generation: 2 })
    await loop.pass(never)
    expect(await names()).toEqual(['linux'])
    expect((await bench.ledger.pools())[0]?.maxRunners).toBe(3)
  })

  it('are left out where they are invalid and have neither runners nor jobs', async () => {
    const { loop, names } = await createSync(aDeclaredPool({ declared: wrong }), declare('gpu'))
    await loop.pass(never)
    expect(await names()).toEqual(['gpu'])
  })

  it('are retired at once when they are deleted, and released after their last runner', async () => {
    const { bench, loop, names, pools } = await createSync(declare('linux'), declare('gpu'))
    await loop.pass(never)
    const runner = await bench.runner()
    bench.host.runners.set(runner.name, 'running')
    pools.declared[0] = aDeclaredPool({ isLeaving: true })
    expect(await loop.pass(never)).toMatchObject({ kind: 'requeue-after' })
    expect(await names()).toEqual(['gpu'])
    expect(pools.released).toEqual([])
    await bench.ledger.sealDeath(runner.id, aDeathRecord(), 'clean', cause)
    await loop.pass(never)
    expect(pools.released).toEqual([]) // its pod is still there
    bench.host.runners.delete(runner.name)
    await loop.pass(never)
    expect(pools.released).toEqual(['linux'])
  })

  it('are not released by a count that is older than their retirement', async () => {
    const { bench, loop, pools, puts } = await createSync(declare('linux'), declare('gpu'))
    await loop.pass(never)
    pools.declared[0] = aDeclaredPool({ isLeaving: true })
    const { counts } = bench.ledger
    let isCounted = false
    const ledger = {
      ...bench.ledger,
      async counts() {
        const counted = await counts()
        // The previous leader puts the pool back, and enrols for it.
        if (puts.length === 2 && !isCounted) {
          isCounted = true
          await bench.ledger.putPools([aPool(), aPool({ name: 'gpu' })], cause)
          await bench.runner()
        }
        return counted
      },
      putPools(all: readonly Pool[], by: typeof cause, as: ReturnType<typeof leader> | null = null) {
        puts.push(all)
        return bench.ledger.putPools(all, by, as)
      },
    }
    const late = syncLoop({ ...bench, ledger, pools, leader })
    expect(await late.pass(never)).toMatchObject({ kind: 'requeue-after' })
    expect(isCounted).toBe(true)
    expect(pools.released).toEqual([])
  })

  it('are not released by a deposed leader', async () => {
    const { bench, loop, pools } = await createSync(declare('linux'), declare('gpu'))
    await loop.pass(never)
    pools.declared[0] = aDeclaredPool({ isLeaving: true })
    await bench.ledger.putPools([aPool({ name: 'gpu' })], cause, { lease: 'fleet', token: '8' })
    await loop.pass(never)
    expect(pools.released).toEqual([])
  })

  it('are all released, down to the last one, one by one', async () => {
    const { loop, names, pools } = await createSync(declare('linux'))
    await loop.pass(never)
    pools.declared[0] = aDeclaredPool({ isLeaving: true })
    await loop.pass(never)
    expect(await names()).toEqual([])
    expect(pools.released).toEqual(['linux'])
  })

  it('are released although another one cannot be, which is retried', async () => {
    const { bench, loop, pools } = await createSync(declare('poison'), declare('linux'), declare('gpu'))
    await loop.pass(never)
    for (const [index, name] of ['poison', 'linux'].entries())
      pools.declared[index] = aDeclaredPool({ name, isLeaving: true })
    const { release } = pools
    pools.release = (pool, signal) =>
      pool.name === 'poison' ? Promise.reject(new Error('a test')) : release(pool, signal)
    await expect(loop.pass(never)).rejects.toThrow('a test')
    expect(pools.released).toEqual(['linux'])
    expect(bench.log.lines.some(({ fields }) => fields.pool === 'poison')).toBe(true)
    pools.release = release
    await loop.pass(never)
    expect(pools.released).toContain('poison')
  })
})
