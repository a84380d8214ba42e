import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, never } from '../../../../test/support/control-bench.ts'
import { minuteMs, resyncEveryMs, settled } from '../../../../test/support/lifecycle.ts'
import { recoveryBounds } from '../../../domain/recovery/index.ts'
import type { FleetEvent } from '../../../ports/declared-pools.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { lifecycleLoop, reconcileAll } from './index.ts'

/** A runner on the host without a row. */
async function putStray(bench: ControlBench, name: string, over: Partial<HostedRunner> = {}): Promise<void> {
  bench.host.runners.set(name, 'running')
  bench.host.facts.set(name, over)
}

describe('a stray', () => {
  it('is stopped where its program never started, after a grace period, with the decision on record', async () => {
    const bench = await createControlBench()
    await putStray(bench, 'stray', { program: 'waiting' })
    const loop = await settled(bench)
    await bench.advance(5 * minuteMs - 1)
    await loop.pass(never)
    expect(bench.host.calls).toEqual([])
    await bench.advance(1)
    await loop.pass(never)
    expect(bench.host.calls).toEqual(['stop stray: the ledger does not count on it'])
    expect(bench.ledger.rows.decisions.get(1)).toMatchObject({
      rule: 'orphaned-stamped-pod',
      outcome: 'asked',
    })
  })

  it.each(['started', 'unknown'] as const)(
    'is never stopped where its program is %s (I4)',
    async (program) => {
      const bench = await createControlBench()
      await putStray(bench, 'stray', { program })
      const loop = await settled(bench)
      await bench.advance(24 * 60 * minuteMs)
      await loop.pass(never)
      expect(bench.host.calls).toEqual([])
    },
  )

  it('is reported once where it lasts, with a decision on record, and no longer once it is gone', async () => {
    const bench = await createControlBench()
    const events: FleetEvent[] = []
    await putStray(bench, 'stray', { program: 'unknown', node: 'n1' })
    const loop = lifecycleLoop({ ...bench, resyncEveryMs, recordEvent: (event) => events.push(event) })
    loop.subscribe?.(() => undefined)
    await loop.pass(never)
    await bench.advance(60 * minuteMs - 1)
    await loop.pass(never)
    expect(bench.startProblems.straysOf('linux')).toEqual([])
    for (const ms of [1, minuteMs, minuteMs]) {
      await bench.advance(ms)
      await loop.pass(never)
    }
    const message =
      'stray runs on n1, nobody counts on it, and it is left because whether it runs a job cannot be seen.'
    expect(bench.startProblems.straysOf('linux')).toEqual([{ name: 'stray', pool: 'linux', message }])
    expect(events).toMatchObject([
      { about: { kind: 'runner', name: 'stray' }, reason: 'StrayRunner', message },
    ])
    expect(bench.metrics.counts.get('holdfast_decisions_total{lingering-stray}')).toBe(1)
    expect([...bench.ledger.rows.decisions.values()]).toMatchObject([
      { rule: 'lingering-stray', outcome: 'shown', actions: [{ kind: 'show' }] },
    ])
    expect(bench.host.calls).toEqual([])
    bench.host.runners.delete('stray')
    await bench.advance(minuteMs)
    await loop.pass(never)
    expect(bench.startProblems.straysOf('linux')).toEqual([])
  })

  it('is sealed once when it ends, although it never had a row (I5)', async () => {
    const bench = await createControlBench()
    await putStray(bench, 'stray', { program: 'started' })
    const loop = await settled(bench)
    bench.host.runners.set('stray', 'exited')
    bench.host.change('stray')
    await loop.pass(never)
    expect(bench.host.calls).toEqual(['release stray'])
    expect(await bench.ledger.findRunner('stray')).toMatchObject({ state: 'ended', evidenceId: 1 })
    expect(bench.ledger.rows.evidence.size).toBe(1)
  })

  it('gets no second record where its row has ended', async () => {
    const bench = await createControlBench()
    const { name } = await bench.runner()
    bench.host.runners.set(name, 'exited')
    await reconcileAll(bench)
    bench.host.runners.set(name, 'exited') // it returned with its node
    await reconcileAll(bench)
    expect(bench.ledger.rows.evidence.size).toBe(1)
    expect(bench.host.calls).toEqual([`release ${name}`, `release ${name}`])
  })

  it('gets no second record where its row was archived meanwhile', async () => {
    const bench = await createControlBench()
    const { name } = await bench.runner()
    bench.host.runners.set(name, 'exited')
    await reconcileAll(bench)
    await bench.advance(1)
    expect(await bench.ledger.archive(0, 10)).toBe(1)
    expect(await bench.ledger.findRunner(name)).toBeNull()
    bench.host.runners.set(name, 'exited') // it returned with its node
    await reconcileAll(bench)
    expect(await bench.ledger.findRunner(name)).toBeNull()
    expect(bench.host.calls).toEqual([`release ${name}`, `release ${name}`])
  })

  it('is given up with a record where it was to leave and its node is silent', async () => {
    const bench = await createControlBench()
    const since = bench.clock.now()
    await putStray(bench, 'stray', { program: 'started', leavingSince: since, silentSince: since })
    const loop = await settled(bench)
    expect(bench.host.calls).toEqual([])
    await bench.advance(5 * minuteMs)
    await loop.pass(never)
    expect(bench.host.calls).toEqual(['abandon stray'])
    expect(bench.ledger.rows.evidence.get(1)).toMatchObject({ record: { class: 'node-lost' } })
  })
})

describe('many strays on silent nodes', () => {
  const few = {
    ...recoveryBounds,
    of: { ...recoveryBounds.of, 'abandon-stray': { atLeast: 3, share: 0, perNode: 3, why: 'a test' } },
  }
  const abandoned = async (count: number) => {
    const bench = await createControlBench()
    for (let n = 1; n <= count; n += 1) {
      const since = bench.clock.now()
      await putStray(bench, `stray-${n}`, { node: `n${n}`, leavingSince: since, silentSince: since })
    }
    const loop = lifecycleLoop({ ...bench, bounds: few, resyncEveryMs })
    loop.subscribe?.(() => undefined)
    for (let passedMs = 0; passedMs < 40 * minuteMs; passedMs += 5 * minuteMs) {
      await loop.pass(never)
      await bench.advance(5 * minuteMs)
    }
    const incidents = await bench.ledger.incidents(0)
    return [bench.host.calls.length, incidents.map(({ kind }) => kind)]
  }

  it('are released up to the bound of an hour, and an incident is opened', async () => {
    expect(await abandoned(7)).toEqual([3, ['recovery-bound']])
  })

  it('are released where they are within the bound, and no incident is opened', async () => {
    expect(await abandoned(3)).toEqual([3, []])
  })
})
