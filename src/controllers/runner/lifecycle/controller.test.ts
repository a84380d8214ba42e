import { describe, expect, it } from 'vitest'
import { createControlBench, hostId, never } from '../../../../test/support/control-bench.ts'
import { compareEveryMs, minuteMs, settled } from '../../../../test/support/lifecycle.ts'
import type { Ending } from '../../../domain/death/index.ts'
import { aPodEnd, aRunnerEnd } from '../../../domain/death/testing.ts'
import type { FleetEvent } from '../../../ports/declared-pools.ts'
import { lifecycleLoop, reconcile } from './index.ts'

describe('the lifecycle of runners', () => {
  it('seals how a runner ended before anything of it is released (I5)', async () => {
    const bench = await createControlBench()
    const runner = await bench.runner()
    bench.host.runners.set(runner.name, 'exited')
    const sealed: unknown[] = []
    bench.host.release = async (name) => {
      sealed.push((await bench.ledger.findRunner(name))?.evidenceId)
      bench.host.runners.delete(name)
    }
    await reconcile(bench)
    expect(sealed).toEqual([1])
    expect(bench.ledger.rows.evidence.get(1)).toMatchObject({ kind: 'runner-death', runnerId: runner.id })
  })

  it('does not release a runner whose death could not be sealed', async () => {
    const bench = await createControlBench()
    bench.host.runners.set((await bench.runner()).name, 'exited')
    const ledger = { ...bench.ledger, sealDeath: () => Promise.reject(new Error('the ledger is away')) }
    await expect(reconcile({ ...bench, ledger })).rejects.toThrow('away')
    expect(bench.host.calls).toEqual([])
  })

  it('goes by what the host says when it is its turn, not by what it said before', async () => {
    const bench = await createControlBench()
    const { name } = await bench.runner()
    bench.host.runners.set(name, 'exited')
    const gate = Promise.withResolvers<void>()
    const before = bench.turns.take(name, () => gate.promise)
    const reconciled = reconcile(bench)
    await bench.advance(0)
    expect(bench.ledger.rows.evidence.size).toBe(0)
    bench.host.runners.set(name, 'running')
    gate.resolve()
    await Promise.all([before, reconciled])
    expect(bench.host.calls).toEqual([])
    expect(bench.ledger.rows.evidence.size).toBe(0)
  })

  it('works on a runner when the host says that it changed, and on no other', async () => {
    const bench = await createControlBench()
    const [one, two] = [await bench.runner('linux-0001'), await bench.runner('linux-0002')]
    for (const { name } of [one, two]) bench.host.runners.set(name, 'running')
    const loop = await settled(bench)
    for (const { name } of [one, two]) bench.host.runners.set(name, 'exited')
    bench.host.change(one.name)
    await loop.pass(never)
    expect(bench.host.calls).toEqual(['release linux-0001'])
  })

  it('finds in its comparison what no change told of', async () => {
    const bench = await createControlBench()
    const { name } = await bench.runner()
    bench.host.runners.set(name, 'running')
    const loop = await settled(bench)
    bench.host.runners.set(name, 'exited')
    await bench.advance(compareEveryMs)
    await loop.pass(never)
    expect(bench.host.calls).toEqual([`release ${name}`])
  })

  it('asks neither the ledger nor the host again about a runner that it released', async () => {
    const bench = await createControlBench()
    const { name } = await bench.runner()
    bench.host.runners.set(name, 'exited')
    const loop = await settled(bench)
    bench.host.find = () => Promise.reject(new Error('asked for nothing'))
    bench.host.change(name)
    await loop.pass(never)
    expect(bench.log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('goes on with the others when the work on one fails, and repeats it', async () => {
    const bench = await createControlBench()
    for (const name of ['linux-0001', 'linux-0002']) {
      await bench.runner(name)
      bench.host.runners.set(name, 'exited')
    }
    const { release } = bench.host
    let refused = 0
    bench.host.release = async (name) => {
      if (name !== 'linux-0001' || refused > 0) return release(name)
      refused += 1
      throw new Error('the host is away')
    }
    const loop = await settled(bench)
    expect(bench.host.calls).toEqual(['release linux-0002'])
    await bench.advance(1_000)
    await loop.pass(never)
    expect(bench.host.calls).toEqual(['release linux-0002', 'release linux-0001'])
    expect(bench.ledger.rows.evidence.size).toBe(2)
  })

  it('seals as incomplete what cannot be read before the evidence deadline, and not before', async () => {
    const bench = await createControlBench()
    const { name } = await bench.runner()
    bench.host.runners.set(name, 'exited')
    bench.host.ending = () => Promise.reject(new Error('no log'))
    const loop = await settled(bench)
    expect(bench.host.calls).toEqual([])
    await bench.advance(minuteMs)
    await loop.pass(never)
    expect(bench.host.calls).toEqual([`release ${name}`])
    expect(bench.ledger.rows.evidence.get(1)).toMatchObject({
      record: { outcome: 'incomplete', class: 'unknown', because: [expect.stringContaining('no log')] },
    })
  })

  it('leaves a runner that lives and that the ledger counts on', async () => {
    const bench = await createControlBench()
    bench.host.runners.set((await bench.runner()).name, 'running')
    await reconcile(bench)
    expect(bench.host.calls).toEqual([])
  })

  it('asks recovery about a runner that is not on its host any more, and not about one that boots', async () => {
    const bench = await createControlBench()
    const gone = await bench.runner('linux-0001')
    await bench.ledger.polled(gone.id)
    await bench.runner('linux-0002')
    await reconcile(bench)
    const due = await bench.ledger.due(10, hostId)
    expect(due.map((subject) => (subject.kind === 'runner' ? subject.runner.name : subject.kind))).toEqual([
      'linux-0001',
    ])
  })

  it('says nothing of the runners of another host', async () => {
    const bench = await createControlBench()
    const row = {
      name: 'linux-0009',
      pool: 'linux',
      host: 'elsewhere',
      identityHash: 'hash',
      bootDeadlineMs: minuteMs,
    }
    await bench.ledger.polled((await bench.ledger.enrol(row, { source: 'operator' })).id)
    await reconcile(bench)
    expect(await bench.ledger.due(10, 'elsewhere')).toEqual([])
  })

  it('tells of an end that a person would ask about, and not of one that we asked for', async () => {
    const bench = await createControlBench()
    const told: FleetEvent[] = []
    const { ending } = bench.host
    const containers = [aRunnerEnd({ name: 'poller', isInit: true, exitCode: 10 })]
    const over = new Map<string, Partial<Ending>>([
      ['linux-0001', {}],
      ['linux-0002', { stopRequestedBy: 'a test' }],
      // Its poller was told to leave: nothing failed.
      ['linux-0003', { startedAt: null, exitCode: null, pod: aPodEnd({ containers }) }],
    ])
    for (const name of over.keys()) {
      await bench.runner(name)
      bench.host.runners.set(name, 'exited')
    }
    bench.host.ending = async (name) => {
      const plain = await ending(name)
      return plain && { ...plain, ...over.get(name) }
    }
    await reconcile({ ...bench, tell: (event) => told.push(event) })
    expect(told.map(({ about }) => `${about.kind} ${about.name}`)).toEqual([
      'runner linux-0001',
      'pool linux',
    ])
    expect(told[0]).toMatchObject({ type: 'Warning', reason: 'SigkillUnknown' })
  })

  it('seals the others where one cannot be bound to its pod, which is tried again', async () => {
    const bench = await createControlBench()
    const [poison, good] = [await bench.runner('linux-0001'), await bench.runner('linux-0002')]
    bench.host.runners.set(poison.name, 'running')
    bench.host.runners.set(good.name, 'exited')
    bench.host.uids.set(poison.name, 'a-uid')
    let isPoisoned = true
    const bindPod: typeof bench.ledger.bindPod = (id, uid) =>
      isPoisoned ? Promise.reject(new Error('a test')) : bench.ledger.bindPod(id, uid)
    const loop = lifecycleLoop({ ...bench, ledger: { ...bench.ledger, bindPod } })
    await loop.pass(never)
    expect((await bench.ledger.findRunner(good.name))?.state).toBe('ended')
    expect(bench.metrics.counts.get('holdfast_task_failures_total{runner-lifecycle}')).toBe(1)
    isPoisoned = false
    await bench.advance(60_000)
    await loop.pass(never)
    expect((await bench.ledger.findRunner(poison.name))?.podUid).toBe('a-uid')
  })
})
