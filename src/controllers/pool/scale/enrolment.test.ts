import { describe, expect, it } from 'vitest'
import { cause, createControlBench, hostId, never } from '../../../../test/support/control-bench.ts'
import { pass, queueMany, rowsOf, startsOf } from '../../../../test/support/pool-passes.ts'
import { aPool } from '../../../../test/support/rows.ts'
import { aDeathRecord } from '../../../domain/death/testing.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import { scaleLoop } from './index.ts'

const { provisioning } = aPool()

describe('a burst', () => {
  it('is enrolled in few transactions, and makes exactly one runner for each job', async () => {
    const bench = await createControlBench()
    const wide = { ...provisioning, maxStartingPerNode: 1_000 }
    await bench.ledger.putPools([aPool({ maxRunners: 1_000, provisioning: wide })], cause)
    await queueMany(bench, 250)
    const batches: number[] = []
    const { enrolAll } = bench.ledger
    const ledger = {
      ...bench.ledger,
      enrolAll: (...args: Parameters<typeof enrolAll>) => {
        batches.push(args[0].length)
        return enrolAll(...args)
      },
    }
    const loop = scaleLoop({ ...bench, ledger })
    let rung = 0
    loop.subscribe?.(() => {
      rung += 1
    })
    await pass(loop)
    expect(rung).toBe(1) // more are requested before the start queue runs dry
    await pass(loop)
    await pass(loop)
    expect(batches.filter((count) => count > 0)).toEqual([200, 50])
    expect(startsOf(bench)).toHaveLength(250)
  })

  it('is started a bounded number at a time', async () => {
    const bench = await createControlBench()
    await bench.ledger.putPools(
      [aPool({ maxRunners: 100, provisioning: { ...provisioning, maxStartingPerNode: 100 } })],
      cause,
    )
    await queueMany(bench, 40)
    const gate = Promise.withResolvers<void>()
    let active = 0
    let begun = 0
    let most = 0
    bench.host.start = async () => {
      active += 1
      begun += 1
      most = Math.max(most, active)
      await gate.promise
      active -= 1
      return { kind: 'started' }
    }
    const loop = scaleLoop(bench)
    await pass(loop)
    expect(active).toBe(16)
    const ended = loop.ended?.()
    gate.resolve()
    await ended // waits for starts under way, and begins no more
    await new Promise((resolve) => setImmediate(resolve))
    expect({ active, most, begun }).toEqual({ active: 0, most: 16, begun: 16 })
  })

  it('makes no runner twice when the ledger’s answer is lost', async () => {
    const bench = await createControlBench()
    await queueMany(bench, 3)
    const { enrolAll } = bench.ledger
    let isLost = true
    const ledger = {
      ...bench.ledger,
      async enrolAll(...args: Parameters<typeof enrolAll>) {
        const answer = await enrolAll(...args)
        if (args[0].length === 0 || !isLost) return answer
        isLost = false
        throw new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'a test' })
      },
    }
    const loop = scaleLoop({ ...bench, ledger })
    await expect(loop.pass(never)).rejects.toThrow(HoldfastError)
    expect(startsOf(bench)).toEqual([])
    await pass(loop)
    expect(startsOf(bench)).toHaveLength(3)
    expect(rowsOf(bench)).toHaveLength(3)
  })

  it('is not started under the name of an earlier runner', async () => {
    const bench = await createControlBench()
    const before = await bench.runner('linux-00000000')
    await bench.ledger.sealDeath(before.id, aDeathRecord(), 'clean', cause)
    await bench.queue()
    const bytes = (count: number) => new Uint8Array(count)
    await pass(scaleLoop({ ...bench, entropy: { ...bench.entropy, bytes } }))
    expect(startsOf(bench)).toEqual([])
  })

  it('is counted only after earlier leaders can add nothing to it', async () => {
    const bench = await createControlBench()
    const order: string[] = []
    const { counts, enrolAll } = bench.ledger
    const ledger = {
      ...bench.ledger,
      counts() {
        order.push('counts')
        return counts()
      },
      enrolAll(...args: Parameters<typeof enrolAll>) {
        order.push(`enrol ${args[0].length} as ${args[2]?.token}`)
        return enrolAll(...args)
      },
    }
    await bench.queue()
    await pass(scaleLoop({ ...bench, ledger, leader: () => ({ lease: 'fleet', token: '8' }) }))
    expect(order).toEqual(['enrol 0 as 8', 'counts', 'enrol 1 as 8'])
  })

  it('is left to the present leader', async () => {
    const bench = await createControlBench()
    await bench.queue()
    const leaderOf = (token: string) => () => ({ lease: 'fleet', token })
    const old = scaleLoop({ ...bench, leader: leaderOf('7') })
    await bench.ledger.enrolAll([], cause, { lease: 'fleet', token: '8' })
    const { counts } = bench.ledger
    bench.ledger.counts = () => Promise.reject(new Error('who does not lead does not count'))
    expect(await pass(old)).toEqual({ kind: 'done' })
    expect(rowsOf(bench)).toEqual([])
    bench.ledger.counts = counts
    await pass(scaleLoop({ ...bench, leader: leaderOf('8') }))
    expect(startsOf(bench)).toHaveLength(1)
  })
})

describe('a restart', () => {
  const row = { pool: 'linux', host: hostId, bootDeadlineMs: 60_000 }

  it('starts runners that were enrolled and not started, where a runner proves its own identity', async () => {
    const bench = await createControlBench()
    await queueMany(bench, 2)
    await bench.ledger.enrol({ ...row, name: 'linux-there', identityHash: null }, cause)
    await bench.ledger.enrol({ ...row, name: 'linux-lost', identityHash: null }, cause)
    bench.host.runners.set('linux-there', 'running')
    await pass(scaleLoop({ ...bench, secrets: null }))
    expect(bench.host.calls).toEqual(['start linux-lost'])
    expect(rowsOf(bench)).toHaveLength(2)
  })

  it('ends runners that need a lost secret, once the host has none of them, and starts others', async () => {
    const bench = await createControlBench()
    await bench.queue()
    await bench.ledger.enrol({ ...row, name: 'linux-lost', identityHash: 'a-hash' }, cause)
    const loop = scaleLoop(bench)
    await pass(loop)
    expect(await bench.ledger.findRunner('linux-lost')).toMatchObject({ state: 'ended', evidenceId: 1 })
    expect(startsOf(bench)).toHaveLength(1)
  })

  it('does not touch the runners of another host', async () => {
    const bench = await createControlBench()
    await bench.ledger.enrol({ ...row, host: 'elsewhere', name: 'linux-other', identityHash: 'hash' }, cause)
    await pass(scaleLoop(bench))
    expect((await bench.ledger.findRunner('linux-other'))?.state).toBe('booting')
    expect(bench.host.calls).toEqual([])
  })
})
