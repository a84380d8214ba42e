import { describe, expect, it } from 'vitest'
import {
  type ControlBench,
  cause,
  createControlBench,
  never,
} from '../../../../test/support/control-bench.ts'
import { aPool } from '../../../../test/support/rows.ts'
import type { TroubleKind } from '../../../domain/pool/index.ts'
import { recoveryBounds } from '../../../domain/recovery/index.ts'
import type { Loop } from '../../../loop/index.ts'
import type { FleetEvent } from '../../../ports/declared-pools.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { createTroubleBoard } from '../../pool/trouble-board.ts'
import { livenessLoop } from './index.ts'

const minuteMs = 60_000
const provisioning = {
  maxStartingPerNode: 10,
  startDeadlineMs: 5 * minuteMs,
  unschedulableDeadlineMs: 20 * minuteMs,
}

async function createLiveness(bounds = recoveryBounds) {
  const bench = { ...(await createControlBench()), bounds }
  await bench.ledger.putPools([aPool({ provisioning })], cause)
  const troubles = createTroubleBoard()
  const told: FleetEvent[] = []
  const loop = livenessLoop({ ...bench, troubles, tell: (event) => told.push(event) })
  loop.listen?.(() => undefined)
  return { bench, troubles, told, loop }
}

/** A runner that boots, as the host shows it. */
async function boots(bench: ControlBench, over: Partial<HostedRunner>, name = 'linux-0001') {
  const runner = await bench.runner(name)
  bench.host.runners.set(name, 'running')
  bench.host.facts.set(name, { program: 'waiting', ...over })
  return runner
}

async function passAfter(ms: number, bench: ControlBench, loop: Loop): Promise<readonly string[]> {
  await bench.advance(ms)
  await loop.pass(never)
  return bench.host.calls
}

const trouble = (kind: TroubleKind, bench: ControlBench) => ({
  kind,
  message: 'as the cluster says it',
  since: bench.clock.now(),
})

describe('a runner that does not get going', () => {
  it.each([
    ['ImagePull', 2 * minuteMs],
    ['ConfigError', 30_000],
    ['SandboxFailed', 2 * minuteMs],
    ['NodeSilent', 2 * minuteMs],
  ] as const)(
    'for %s is fenced and stopped after its time, and shown on the pool at once',
    async (kind, ms) => {
      const { bench, troubles, told, loop } = await createLiveness()
      const runner = await boots(bench, { node: 'n1', trouble: trouble(kind, bench) })
      await loop.pass(never)
      expect(troubles.of('linux')?.kind).toBe(kind)
      expect(await passAfter(ms - 1, bench, loop)).toEqual([])
      expect(await passAfter(1, bench, loop)).toEqual([
        `stop ${runner.name}: ${kind}: as the cluster says it`,
      ])
      expect((await bench.ledger.findRunner(runner.name))?.state).toBe('fenced')
      expect(bench.ledger.rows.decisions.get(1)).toMatchObject({ rule: 'start-given-up', outcome: 'leaving' })
      expect(told).toMatchObject([{ about: { kind: 'pool', name: 'linux' }, type: 'Warning', reason: kind }])
    },
  )

  it('is given up although another cannot be looked at, which is tried again', async () => {
    const { bench, loop } = await createLiveness()
    for (const name of ['linux-0001', 'linux-0002'])
      await boots(bench, { node: 'n1', trouble: trouble('ConfigError', bench) }, name)
    await loop.pass(never)
    const { find } = bench.host
    let isPoisoned = true
    bench.host.find = (name, signal) =>
      isPoisoned && name === 'linux-0001' ? Promise.reject(new Error('a test')) : find(name, signal)
    expect(await passAfter(30_000, bench, loop)).toEqual([expect.stringContaining('stop linux-0002')])
    isPoisoned = false
    expect(await passAfter(1_000, bench, loop)).toEqual([
      expect.stringContaining('stop linux-0002'),
      expect.stringContaining('stop linux-0001'),
    ])
  })

  it('on no node is given up by the unschedulable deadline of its pool, and not by the start deadline', async () => {
    const { bench, loop } = await createLiveness()
    await boots(bench, { node: null, startedAt: null, trouble: trouble('NoHealthyNode', bench) })
    await loop.pass(never)
    expect(await passAfter(20 * minuteMs - 1, bench, loop)).toEqual([])
    expect(await passAfter(1, bench, loop)).toHaveLength(1)
  })

  it('without a reason is given up by the start deadline, counted from when it got its node', async () => {
    const { bench, loop } = await createLiveness()
    const { name } = await boots(bench, { node: null, startedAt: null })
    await loop.pass(never)
    await passAfter(10 * minuteMs, bench, loop)
    bench.host.facts.set(name, { program: 'waiting', node: 'n1' })
    bench.host.change(name)
    await loop.pass(never)
    expect(await passAfter(5 * minuteMs - 1, bench, loop)).toEqual([])
    expect(await passAfter(1, bench, loop)).toHaveLength(1)
  })

  it.each([
    ['a container of its own asks', 'waiting'],
    ['what asks is what runs jobs', 'unknown'],
  ] as const)('although it runs cannot reach us, and its pool says so: where %s', async (_, program) => {
    const { bench, troubles, told, loop } = await createLiveness()
    await boots(bench, { node: 'n1', program, startedAt: bench.clock.now() })
    await loop.pass(never)
    expect(troubles.of('linux')).toBeNull()
    await passAfter(5 * minuteMs, bench, loop)
    expect(troubles.of('linux')).toMatchObject({
      kind: 'HoldfastUnreachable',
      message: 'linux-0001 runs on n1 and has not asked for a job in 300 s.',
    })
    expect(told).toMatchObject([{ reason: 'HoldfastUnreachable' }])
  })

  it('is left alone where whether it asked may not be known here yet', async () => {
    const { bench, troubles, loop } = await createLiveness()
    const since = bench.clock.now()
    await boots(bench, { node: 'n1', program: 'unknown', silentSince: since, startedAt: since })
    await boots(bench, { node: null, program: 'unknown', startedAt: since }, 'linux-0002') // a process
    await loop.pass(never)
    expect(await passAfter(60 * minuteMs, bench, loop)).toEqual([])
    expect(troubles.of('linux')).toBeNull()
  })

  it('is left alone once it asked for work, started, or leaves', async () => {
    const { bench, loop } = await createLiveness()
    const asked = await boots(bench, { node: 'n1' }, 'linux-0001')
    await boots(bench, { node: 'n1', program: 'started' }, 'linux-0002')
    await boots(bench, { node: 'n1', leavingSince: bench.clock.now() }, 'linux-0003')
    const busy = await boots(bench, { node: 'n1', program: 'unknown' }, 'linux-0004')
    await loop.pass(never)
    await bench.ledger.polled(asked.id)
    await bench.ledger.polled(busy.id)
    expect(await passAfter(60 * minuteMs, bench, loop)).toEqual([])
  })

  it('stalls its pool until one gets going, so that not every job makes such a runner', async () => {
    const { bench, troubles, loop } = await createLiveness()
    const { name } = await boots(bench, { node: 'n1', trouble: trouble('ConfigError', bench) })
    await loop.pass(never)
    expect(troubles.isStalled('linux')).toBe(false)
    await passAfter(30_000, bench, loop)
    expect(troubles.isStalled('linux')).toBe(true)
    bench.host.runners.delete(name)
    const next = await boots(bench, { node: 'n1' }, 'linux-0002')
    bench.host.change(next.name)
    await loop.pass(never)
    expect(troubles.isStalled('linux')).toBe(true)
    await bench.ledger.polled(next.id)
    await passAfter(5_000, bench, loop)
    expect(troubles.isStalled('linux')).toBe(false)
    expect(troubles.of('linux')).toBeNull()
  })

  it('does not stall a pool whose runners got going elsewhere', async () => {
    const { bench, troubles, loop } = await createLiveness()
    await boots(bench, { node: 'n1', trouble: trouble('ConfigError', bench) })
    await boots(bench, { node: 'n2', program: 'started' }, 'linux-0002')
    bench.host.change('linux-0002')
    await loop.pass(never)
    expect(await passAfter(30_000, bench, loop)).toHaveLength(1)
    expect(troubles.isStalled('linux')).toBe(false)
  })

  it('no longer stalls its pool once runners are made from something else', async () => {
    const { bench, troubles, loop } = await createLiveness()
    bench.host.templates.set('linux', 'one')
    const { name } = await boots(bench, { node: 'n1', trouble: trouble('ConfigError', bench) })
    await loop.pass(never)
    await passAfter(30_000, bench, loop)
    bench.host.runners.delete(name)
    bench.host.templates.set('linux', 'two')
    await passAfter(minuteMs, bench, loop)
    expect(troubles.isStalled('linux')).toBe(false)
    expect(troubles.of('linux')).toBeNull()
  })
})

describe('many that do not get going', () => {
  const few = {
    ...recoveryBounds,
    of: { ...recoveryBounds.of, 'give-up-start': { atLeast: 2, share: 0, perNode: 2, why: 'a test' } },
  }
  const givenUp = async (count: number) => {
    const { bench, loop } = await createLiveness(few)
    for (let n = 1; n <= count; n += 1)
      await boots(bench, { node: `n${n}`, trouble: trouble('ImagePull', bench) }, `linux-000${n}`)
    await loop.pass(never)
    for (let n = 0; n < 6; n += 1) await passAfter(5 * minuteMs, bench, loop)
    const incidents = await bench.ledger.incidents(0)
    return [new Set(bench.host.calls).size, incidents.map(({ kind }) => kind)]
  }

  it('are given up to the bound of an hour; the others wait, and a person is told', async () => {
    expect(await givenUp(5)).toEqual([2, ['recovery-bound']])
  })

  it('are given up where they are no more than that, and nobody is told', async () => {
    expect(await givenUp(2)).toEqual([2, []])
  })
})
