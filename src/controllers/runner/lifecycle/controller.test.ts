import { describe, expect, it } from 'vitest'
import { createControlBench } from '../../../../test/support/control-bench.ts'
import { reconcile } from './index.ts'

const stopGraceMs = 1_000

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
    await reconcile({ ...bench, stopGraceMs })
    expect(sealed).toEqual([1])
    expect(bench.ledger.rows.evidence.get(1)).toMatchObject({ kind: 'runner-death', runnerId: runner.id })
  })

  it('does not release a runner whose death could not be sealed', async () => {
    const bench = await createControlBench()
    bench.host.runners.set((await bench.runner()).name, 'exited')
    const ledger = { ...bench.ledger, sealDeath: () => Promise.reject(new Error('the ledger is away')) }
    await expect(reconcile({ ...bench, ledger, stopGraceMs })).rejects.toThrow('away')
    expect(bench.host.calls).toEqual([])
  })

  it('leaves a runner that lives and that the ledger counts on', async () => {
    const bench = await createControlBench()
    bench.host.runners.set((await bench.runner()).name, 'running')
    await reconcile({ ...bench, stopGraceMs })
    expect(bench.host.calls).toEqual([])
  })

  it('stops a process that the ledger does not know', async () => {
    const bench = await createControlBench()
    bench.host.runners.set('stray', 'running')
    await reconcile({ ...bench, stopGraceMs })
    expect(bench.host.calls).toEqual(['stop stray: the ledger does not count on it'])
  })

  it('asks recovery about a runner that is not on its host any more, and not about one that boots', async () => {
    const bench = await createControlBench()
    const gone = await bench.runner('linux-0001')
    await bench.ledger.polled(gone.id)
    await bench.runner('linux-0002')
    await reconcile({ ...bench, stopGraceMs })
    const due = await bench.ledger.due(10, bench.host.id)
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
      bootDeadlineMs: 60_000,
    }
    await bench.ledger.polled((await bench.ledger.enrol(row, { source: 'operator' })).id)
    await reconcile({ ...bench, stopGraceMs })
    expect(await bench.ledger.due(10, 'elsewhere')).toEqual([])
  })
})
