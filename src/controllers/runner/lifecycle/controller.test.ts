import { describe, expect, it } from 'vitest'
import { createControlBench, hostId, never } from '../../../../test/support/control-bench.ts'
import { minuteMs, resyncEveryMs, settled } from '../../../../test/support/lifecycle.ts'
import type { Ending } from '../../../domain/death/index.ts'
import { aPodEnd, aRunnerEnd } from '../../../domain/death/testing.ts'
import type { FleetEvent } from '../../../ports/declared-pools.ts'
import { lifecycleLoop, reconcileAll } from './index.ts'

describe('the lifecycle of runners', () => {
  it('seals the end of a runner before anything of it is released (I5)', async () => {
    const bench = await createControlBench()
    const runner = await bench.runner()
    bench.host.runners.set(runner.name, 'exited')
    const sealed: unknown[] = []
    bench.host.release = async (name) => {
      sealed.push((await bench.ledger.findRunner(name))?.evidenceId)
      bench.host.runners.delete(name)
    }
    await reconcileAll(bench)
    expect(sealed).toEqual([1])
    expect(bench.ledger.rows.evidence.get(1)).toMatchObject({ kind: 'runner-death', runnerId: runner.id })
  })

  it('does not release a runner whose death could not be sealed', async () => {
    const bench = await createControlBench()
    bench.host.runners.set((await bench.runner()).name, 'exited')
    const ledger = { ...bench.ledger, sealDeath: () => Promise.reject(new Error('the ledger is away')) }
    await expect(reconcileAll({ ...bench, ledger })).rejects.toThrow('away')
    expect(bench.host.calls).toEqual([])
  })

  it('decides by the host’s answer under the mutex, not by an earlier one', async () => {
    const bench = await createControlBench()
    const { name } = await bench.runner()
    bench.host.runners.set(name, 'exited')
    const gate = Promise.withResolvers<void>()
    const before = bench.runnerMutex.run(name, () => gate.promise)
    const reconciled = reconcileAll(bench)
    await bench.advance(0)
    expect(bench.ledger.rows.evidence.size).toBe(0)
    bench.host.runners.set(name, 'running')
    gate.resolve()
    await Promise.all([before, reconciled])
    expect(bench.host.calls).toEqual([])
    expect(bench.ledger.rows.evidence.size).toBe(0)
  })

  it('reconciles a runner when the host reports its change, and no other', async () => {
    const bench = await createControlBench()
    const [one, two] = [await bench.runner('linux-0001'), await bench.runner('linux-0002')]
    for (const { name } of [one, two]) bench.host.runners.set(name, 'running')
    const loop = await settled(bench)
    for (const { name } of [one, two]) bench.host.runners.set(name, 'exited')
    bench.host.change(one.name)
    await loop.pass(never)
    expect(bench.host.calls).toEqual(['release linux-0001'])
  })

  it('finds in its resync a change that no watch event reported', async () => {
    const bench = await createControlBench()
    const { name } = await bench.runner()
    bench.host.runners.set(name, 'running')
    const loop = await settled(bench)
    bench.host.runners.set(name, 'exited')
    await bench.advance(resyncEveryMs)
    await loop.pass(never)
    expect(bench.host.calls).toEqual([`release ${name}`])
  })

  it('reads neither the ledger nor the host again about a runner that it released', async () => {
    const bench = await createControlBench()
    const { name } = await bench.runner()
    bench.host.runners.set(name, 'exited')
    const loop = await settled(bench)
    bench.host.find = () => Promise.reject(new Error('asked for nothing'))
    bench.host.change(name)
    await loop.pass(never)
    expect(bench.log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('reconciles the others when one fails, and retries that one', async () => {
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

  it('seals an end that cannot be read as incomplete at the evidence deadline, and not before', async () => {
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

  it('leaves a live runner that the ledger knows', async () => {
    const bench = await createControlBench()
    bench.host.runners.set((await bench.runner()).name, 'running')
    await reconcileAll(bench)
    expect(bench.host.calls).toEqual([])
  })

  it('asks recovery about a runner that is missing on its host, and not about one that boots', async () => {
    const bench = await createControlBench()
    const gone = await bench.runner('linux-0001')
    await bench.ledger.polled(gone.id)
    await bench.runner('linux-0002')
    await reconcileAll(bench)
    const due = await bench.ledger.due(10, hostId)
    expect(due.map((subject) => (subject.kind === 'runner' ? subject.runner.name : subject.kind))).toEqual([
      'linux-0001',
    ])
  })

  it('ignores the runners of another host', async () => {
    const bench = await createControlBench()
    const row = {
      name: 'linux-0009',
      pool: 'linux',
      host: 'elsewhere',
      identityHash: 'hash',
      bootDeadlineMs: minuteMs,
    }
    await bench.ledger.polled((await bench.ledger.enrol(row, { source: 'operator' })).id)
    await reconcileAll(bench)
    expect(await bench.ledger.due(10, 'elsewhere')).toEqual([])
  })

  it('records an event for an unexpected end, and none for an expected one', async () => {
    const bench = await createControlBench()
    const events: FleetEvent[] = []
    const { ending } = bench.host
    const containers = [aRunnerEnd({ name: 'poller', isInit: true, exitCode: 10 })]
    const over = new Map<string, Partial<Ending>>([
      ['linux-0001', {}],
      ['linux-0002', { stopRequestedBy: 'a test' }],
      // Its poller was sent away: nothing failed.
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
    await reconcileAll({ ...bench, recordEvent: (event) => events.push(event) })
    expect(events.map(({ about }) => `${about.kind} ${about.name}`)).toEqual([
      'runner linux-0001',
      'pool linux',
    ])
    expect(events[0]).toMatchObject({ type: 'Warning', reason: 'SigkillUnknown' })
  })

  it('seals the others where one cannot be bound to its pod, which is retried', async () => {
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
