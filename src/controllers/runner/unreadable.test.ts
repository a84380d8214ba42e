import { describe, expect, it } from 'vitest'
import { type ControlBench, cause, createControlBench, never } from '../../../test/support/control-bench.ts'
import { minuteMs, settled } from '../../../test/support/lifecycle.ts'
import { pass, startsOf } from '../../../test/support/pool-passes.ts'
import { aPool } from '../../../test/support/rows.ts'
import { drain } from '../../main/up/drain.ts'
import type { HostedRunner } from '../../ports/runner-host.ts'
import { createNodeHealth } from '../node/health/index.ts'
import { scaleLoop } from '../pool/scale/index.ts'
import { protectLoop } from './protect/index.ts'

/** Two idle runners with their processes; only a newer version can read the first. */
async function two(over: Partial<HostedRunner> = {}) {
  const bench = await createControlBench()
  for (const name of ['linux-0001', 'linux-0002']) await idle(bench, name, over)
  const undo = bench.ledger.makeUnreadable({ kind: 'runner', id: 1 })
  return { bench, undo }
}

async function idle(bench: ControlBench, name: string, over: Partial<HostedRunner>): Promise<void> {
  await bench.ledger.polled((await bench.runner(name)).id)
  bench.host.runners.set(name, 'running')
  bench.host.facts.set(name, over)
}

describe('a runner that only a newer version can read', () => {
  it('is no stray, however long that lasts, and keeps no other from its end', async () => {
    const { bench } = await two({ program: 'waiting' })
    const loop = await settled(bench)
    bench.host.runners.set('linux-0002', 'exited')
    await bench.advance(60 * minuteMs)
    await loop.pass(never)
    await bench.advance(60 * minuteMs)
    await loop.pass(never)
    expect(bench.host.calls).toEqual(['release linux-0002'])
  })

  it('is not released where it ended, until it can be read again', async () => {
    const { bench, undo } = await two()
    for (const name of ['linux-0001', 'linux-0002']) bench.host.runners.set(name, 'exited')
    const loop = await settled(bench)
    expect(bench.host.calls).toEqual(['release linux-0002'])
    expect(bench.ledger.rows.evidence.size).toBe(1)
    undo()
    await bench.advance(10 * minuteMs)
    await loop.pass(never)
    expect(bench.host.calls).toEqual(['release linux-0002', 'release linux-0001'])
  })

  it('counts against the maximum of its pool, and not as idle', async () => {
    const { bench, undo } = await two()
    await bench.ledger.putPools([aPool({ maxRunners: 3 })], cause)
    for (let job = 0; job < 4; job += 1) await bench.queue(`acme/web-${job}`)
    await pass(scaleLoop(bench))
    expect(startsOf(bench)).toHaveLength(1)
    undo()
    expect(await bench.ledger.counts()).toMatchObject([
      { unreadable: 0, runners: { polling: 2, booting: 1 } },
    ])
  })

  it('is not removed where its pool has a surplus: the others are', async () => {
    const { bench } = await two()
    await bench.ledger.putPools([], cause)
    const loop = scaleLoop(bench)
    await pass(loop)
    await bench.advance(60 * minuteMs)
    await pass(loop)
    expect(bench.host.calls).toEqual([expect.stringMatching(/^stop linux-0002: /)])
  })

  it('does not leave a node that is drained: the others do', async () => {
    const { bench } = await two({ program: 'waiting', node: 'n1' })
    bench.host.nodeList.push({ name: 'n1', isReady: true, isCordoned: true, pressures: [] })
    const { loop } = createNodeHealth({ ...bench, recordEvent: () => undefined })
    await loop.pass(never)
    expect(bench.host.calls).toEqual([expect.stringMatching(/^stop linux-0002: /)])
  })

  it('is protected where it may have a job, and an idle one is not', async () => {
    const { bench } = await two({ program: 'unknown' })
    const loop = protectLoop(bench)
    loop.subscribe?.(() => undefined)
    await loop.pass(never)
    expect(bench.host.calls).toEqual(['protect linux-0001'])
  })

  it('is left behind by a clean shutdown, which stops the others', async () => {
    const { bench } = await two()
    const clock = { ...bench.clock, sleep: (ms: number) => bench.advance(ms) }
    await drain({ ...bench, clock }, 1_000, never)
    expect(bench.host.calls.length).toBeGreaterThan(0)
    for (const call of bench.host.calls) expect(call).toMatch(/^stop linux-0002: /)
  })
})
