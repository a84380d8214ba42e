import { describe, expect, it } from 'vitest'
import { cause, createControlBench } from '../../../../test/support/control-bench.ts'
import { pending, pendingAll, refused, settle } from '../../../../test/support/pending-starts.ts'
import { aPool } from '../../../../test/support/rows.ts'
import { createStarter } from './index.ts'

describe('a start that is refused', () => {
  it('ends its runner at once, with a record and the reason', async () => {
    const bench = await createControlBench()
    bench.host.refusal = refused
    createStarter(bench).add([await pending(bench, 'linux-1')])
    await settle()
    expect(await bench.ledger.findRunner('linux-1')).toMatchObject({
      state: 'ended',
      reason: 'TemplateRefused',
    })
    const record = bench.ledger.rows.evidence.get(1)?.record
    expect(record).toMatchObject({ class: 'never-started' })
    expect(JSON.stringify(record)).toContain('spec.containers: Required value')
    expect(bench.metrics.counts.get('holdfast_deaths_total{never-started}')).toBe(1)
  })

  it('is reported as a start problem until a start of the pool succeeds', async () => {
    const bench = await createControlBench()
    bench.host.refusal = refused
    const starter = createStarter(bench)
    starter.add([await pending(bench, 'linux-1')])
    await settle()
    starter.add([await pending(bench, 'linux-2')])
    expect(bench.startProblems.of('linux')).toEqual(refused)
    bench.host.refusal = null
    await bench.advance(60_000)
    expect(bench.startProblems.of('linux')).toBeNull()
  })

  it('makes its pool back off, longer each time, and try one start', async () => {
    const bench = await createControlBench()
    const times: number[] = []
    bench.host.start = async () => {
      times.push(bench.clock.now())
      return { kind: 'refused', problem: refused }
    }
    const starter = createStarter({ ...bench, entropy: { ...bench.entropy, fraction: () => 0 } })
    const began = bench.clock.now()
    starter.add([await pending(bench, 'linux-0')])
    await settle()
    expect(starter.allowance('linux')).toBe(0)
    starter.add(await pendingAll(bench, ['linux-1', 'linux-2', 'linux-3']))
    for (let step = 0; step < 40; step += 1) await bench.advance(100)
    expect(times.map((at) => at - began)).toEqual([0, 500, 1_500, 3_500])
  })

  it('counts simultaneous refusals as one, and requests more once a start succeeds', async () => {
    const bench = await createControlBench()
    bench.host.refusal = refused
    const starter = createStarter({ ...bench, entropy: { ...bench.entropy, fraction: () => 0 } })
    let rung = 0
    starter.onRoom(() => {
      rung += 1
    })
    starter.add(await pendingAll(bench, ['linux-1', 'linux-2', 'linux-3']))
    await settle()
    expect(starter.pausedUntil('linux')).toBe(bench.clock.now() + 500)
    bench.host.refusal = null
    await bench.advance(500)
    expect([starter.allowance('linux'), rung]).toEqual([1, 0])
    starter.add([await pending(bench, 'linux-4')])
    await settle()
    expect([starter.allowance('linux'), rung]).toEqual([400, 1])
  })

  it('does not hold up the starts of another pool', async () => {
    const bench = await createControlBench()
    await bench.ledger.putPools([aPool(), aPool({ name: 'mac', labels: ['mac'] })], cause)
    const { start } = bench.host
    bench.host.start = async (runner, signal) =>
      runner.pool === 'linux' ? { kind: 'refused', problem: refused } : start(runner, signal)
    const starter = createStarter(bench)
    starter.add(await pendingAll(bench, ['linux-1', 'linux-2', 'mac-1']))
    await settle()
    expect(bench.host.calls).toEqual(['start mac-1'])
    expect(bench.startProblems.of('mac')).toBeNull()
  })

  it('is retried at once where its pool got a new template', async () => {
    const bench = await createControlBench()
    bench.host.templates.set('linux', 'wrong')
    bench.host.refusal = refused
    const starter = createStarter(bench)
    starter.add([await pending(bench, 'linux-1')])
    await settle()
    expect(starter.allowance('linux')).toBe(0)
    bench.host.refusal = null
    bench.host.templates.set('linux', 'right')
    starter.add([])
    expect(bench.startProblems.of('linux')).toBeNull()
    expect(starter.allowance('linux')).toBe(1)
    starter.add([await pending(bench, 'linux-2')])
    await settle()
    expect(bench.host.calls).toEqual(['start linux-2'])
    expect(starter.allowance('linux')).toBe(400)
  })

  it('gives up the starts that were queued behind it for too long', async () => {
    const bench = await createControlBench()
    bench.host.refusal = refused
    const starter = createStarter(bench)
    starter.add([await pending(bench, 'linux-1')])
    await settle()
    starter.add([await pending(bench, 'linux-2', { deadline: bench.clock.now() + 100 })])
    bench.host.refusal = null
    await bench.advance(1_000)
    expect(bench.host.calls).toEqual([])
    expect(await bench.ledger.findRunner('linux-2')).toMatchObject({
      state: 'ended',
      reason: 'TemplateRefused',
    })
  })
})
