import { describe, expect, it } from 'vitest'
import {
  type ControlBench,
  cause,
  createControlBench,
  never,
} from '../../../../test/support/control-bench.ts'
import { aPool } from '../../../../test/support/rows.ts'
import type { StartProblemKind } from '../../../domain/pool/index.ts'
import { recoveryBounds } from '../../../domain/recovery/index.ts'
import type { Loop } from '../../../loop/index.ts'
import type { FleetEvent } from '../../../ports/declared-pools.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { createStartProblems } from '../../pool/start-problems.ts'
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
  const startProblems = createStartProblems()
  const events: FleetEvent[] = []
  const loop = livenessLoop({ ...bench, startProblems, recordEvent: (event) => events.push(event) })
  loop.subscribe?.(() => undefined)
  return { bench, startProblems, events, loop }
}

/** A booting runner, as the host lists it. */
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

const problem = (kind: StartProblemKind, bench: ControlBench) => ({
  kind,
  message: 'as the cluster says it',
  since: bench.clock.now(),
})

describe('a runner that does not start', () => {
  it.each([
    ['ImagePull', 2 * minuteMs],
    ['ConfigError', 30_000],
    ['SandboxFailed', 2 * minuteMs],
    ['NodeSilent', 2 * minuteMs],
  ] as const)(
    'because of %s is fenced and stopped after its deadline, and reported on the pool at once',
    async (kind, ms) => {
      const { bench, startProblems, events, loop } = await createLiveness()
      const runner = await boots(bench, { node: 'n1', problem: problem(kind, bench) })
      await loop.pass(never)
      expect(startProblems.of('linux')?.kind).toBe(kind)
      expect(await passAfter(ms - 1, bench, loop)).toEqual([])
      expect(await passAfter(1, bench, loop)).toEqual([
        `stop ${runner.name}: ${kind}: as the cluster says it`,
      ])
      expect((await bench.ledger.findRunner(runner.name))?.state).toBe('fenced')
      expect(bench.ledger.rows.decisions.get(1)).toMatchObject({ rule: 'start-given-up', outcome: 'leaving' })
      expect(events).toMatchObject([
        { about: { kind: 'pool', name: 'linux' }, type: 'Warning', reason: kind },
      ])
    },
  )

  it('is given up although another one cannot be reconciled, which is retried', async () => {
    const { bench, loop } = await createLiveness()
    for (const name of ['linux-0001', 'linux-0002'])
      await boots(bench, { node: 'n1', problem: problem('ConfigError', bench) }, name)
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

  it('and has no node is given up by the unschedulable deadline of its pool, and not by the start deadline', async () => {
    const { bench, loop } = await createLiveness()
    await boots(bench, { node: null, startedAt: null, problem: problem('NoHealthyNode', bench) })
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
  ] as const)(
    'polling although it runs cannot reach us, which its pool reports: where %s',
    async (_, program) => {
      const { bench, startProblems, events, loop } = await createLiveness()
      await boots(bench, { node: 'n1', program, startedAt: bench.clock.now() })
      await loop.pass(never)
      expect(startProblems.of('linux')).toBeNull()
      await passAfter(5 * minuteMs, bench, loop)
      expect(startProblems.of('linux')).toMatchObject({
        kind: 'HoldfastUnreachable',
        message: 'linux-0001 runs on n1 and has not polled for a job in 300 s.',
      })
      expect(events).toMatchObject([{ reason: 'HoldfastUnreachable' }])
    },
  )

  it('is left alone where its poll may not be known here yet', async () => {
    const { bench, startProblems, loop } = await createLiveness()
    const since = bench.clock.now()
    await boots(bench, { node: 'n1', program: 'unknown', silentSince: since, startedAt: since })
    await boots(bench, { node: null, program: 'unknown', startedAt: since }, 'linux-0002') // a process
    await loop.pass(never)
    expect(await passAfter(60 * minuteMs, bench, loop)).toEqual([])
    expect(startProblems.of('linux')).toBeNull()
  })

  it('is left alone once it polled, started, or leaves', async () => {
    const { bench, loop } = await createLiveness()
    const polled = await boots(bench, { node: 'n1' }, 'linux-0001')
    await boots(bench, { node: 'n1', program: 'started' }, 'linux-0002')
    await boots(bench, { node: 'n1', leavingSince: bench.clock.now() }, 'linux-0003')
    const busy = await boots(bench, { node: 'n1', program: 'unknown' }, 'linux-0004')
    await loop.pass(never)
    await bench.ledger.polled(polled.id)
    await bench.ledger.polled(busy.id)
    expect(await passAfter(60 * minuteMs, bench, loop)).toEqual([])
  })

  it('stalls its pool until one starts, so that not every job makes such a runner', async () => {
    const { bench, startProblems, loop } = await createLiveness()
    const { name } = await boots(bench, { node: 'n1', problem: problem('ConfigError', bench) })
    await loop.pass(never)
    expect(startProblems.isStalled('linux')).toBe(false)
    await passAfter(30_000, bench, loop)
    expect(startProblems.isStalled('linux')).toBe(true)
    bench.host.runners.delete(name)
    const next = await boots(bench, { node: 'n1' }, 'linux-0002')
    bench.host.change(next.name)
    await loop.pass(never)
    expect(startProblems.isStalled('linux')).toBe(true)
    await bench.ledger.polled(next.id)
    await passAfter(5_000, bench, loop)
    expect(startProblems.isStalled('linux')).toBe(false)
    expect(startProblems.of('linux')).toBeNull()
  })

  it('does not stall a pool whose runners started elsewhere', async () => {
    const { bench, startProblems, loop } = await createLiveness()
    await boots(bench, { node: 'n1', problem: problem('ConfigError', bench) })
    await boots(bench, { node: 'n2', program: 'started' }, 'linux-0002')
    bench.host.change('linux-0002')
    await loop.pass(never)
    expect(await passAfter(30_000, bench, loop)).toHaveLength(1)
    expect(startProblems.isStalled('linux')).toBe(false)
  })

  it('no longer stalls its pool once runners are made from another template', async () => {
    const { bench, startProblems, loop } = await createLiveness()
    bench.host.templates.set('linux', 'one')
    const { name } = await boots(bench, { node: 'n1', problem: problem('ConfigError', bench) })
    await loop.pass(never)
    await passAfter(30_000, bench, loop)
    bench.host.runners.delete(name)
    bench.host.templates.set('linux', 'two')
    await passAfter(minuteMs, bench, loop)
    expect(startProblems.isStalled('linux')).toBe(false)
    expect(startProblems.of('linux')).toBeNull()
  })
})

describe('many runners that do not start', () => {
  const few = {
    ...recoveryBounds,
    of: { ...recoveryBounds.of, 'give-up-start': { atLeast: 2, share: 0, perNode: 2, why: 'a test' } },
  }
  const givenUp = async (count: number) => {
    const { bench, loop } = await createLiveness(few)
    for (let n = 1; n <= count; n += 1)
      await boots(bench, { node: `n${n}`, problem: problem('ImagePull', bench) }, `linux-000${n}`)
    await loop.pass(never)
    for (let n = 0; n < 6; n += 1) await passAfter(5 * minuteMs, bench, loop)
    const incidents = await bench.ledger.incidents(0)
    return [new Set(bench.host.calls).size, incidents.map(({ kind }) => kind)]
  }

  it('are given up to the bound of an hour; the others wait, and an incident is opened', async () => {
    expect(await givenUp(5)).toEqual([2, ['recovery-bound']])
  })

  it('are given up where they are within the bound, and no incident is opened', async () => {
    expect(await givenUp(2)).toEqual([2, []])
  })
})
