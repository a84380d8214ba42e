import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, never } from '../../../../test/support/control-bench.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { protectLoop } from './index.ts'

const handle = '11111111-1111-4111-8111-111111111111'

async function idle(bench: ControlBench, over: Partial<HostedRunner>) {
  const runner = await bench.runner()
  await bench.ledger.polled(runner.id)
  bench.host.runners.set(runner.name, 'running')
  bench.host.facts.set(runner.name, over)
  const loop = protectLoop(bench)
  loop.subscribe?.(() => undefined)
  await loop.pass(never)
  return { runner, loop }
}

describe('the protection of busy runners', () => {
  it('is set once, as soon as the program starts', async () => {
    const bench = await createControlBench()
    const { runner, loop } = await idle(bench, { program: 'waiting' })
    expect(bench.host.calls).toEqual([])
    bench.host.facts.set(runner.name, { program: 'started' })
    for (let change = 0; change < 3; change += 1) {
      bench.host.change(runner.name)
      await loop.pass(never)
    }
    await bench.advance(60_000)
    await loop.pass(never)
    expect(bench.host.calls).toEqual([`protect ${runner.name}`])
  })

  it('is set by the ledger where the program does not show whether it has a job, and names the job', async () => {
    const bench = await createControlBench()
    const { runner, loop } = await idle(bench, { program: 'unknown' })
    await bench.queue()
    await bench.ledger.claim(runner, handle, 60_000)
    await bench.advance(30_000)
    await loop.pass(never)
    expect(bench.host.calls).toEqual([expect.stringMatching(`^protect ${runner.name}: acme/web \\d+$`)])
  })

  it('is not set on an idle runner, nor on one that is protected or leaving', async () => {
    const others = [{ program: 'unknown' }, { program: 'started', isProtected: true }] as const
    for (const over of [...others, { program: 'started', leavingSince: 1 } as const]) {
      const bench = await createControlBench()
      const { runner, loop } = await idle(bench, over)
      bench.host.change(runner.name)
      await loop.pass(never)
      expect(bench.host.calls).toEqual([])
    }
  })

  it('is set on others although it fails for one, which is retried', async () => {
    const bench = await createControlBench()
    const names = ['linux-0001', 'linux-0002', 'linux-0003']
    for (const name of names) {
      bench.host.runners.set(name, 'running')
      bench.host.facts.set(name, { program: 'started' })
    }
    const { protect } = bench.host
    let isPoisoned = true
    bench.host.protect = (name, job) =>
      isPoisoned && name === 'linux-0001' ? Promise.reject(new Error('a test')) : protect(name, job)
    const loop = protectLoop(bench)
    await loop.pass(never)
    expect(bench.host.calls).toEqual(['protect linux-0002', 'protect linux-0003'])
    expect(bench.metrics.counts.get('holdfast_task_failures_total{runner-protect}')).toBe(1)
    isPoisoned = false
    await bench.advance(1_000)
    await loop.pass(never)
    expect(bench.host.calls).toContain('protect linux-0001')
  })
})
