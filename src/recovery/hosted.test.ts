import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, hostId, never } from '../../test/support/control-bench.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Subject } from '../domain/recovery/index.ts'
import type { StopOrder } from '../ports/runner-host.ts'
import { look } from './index.ts'

const minuteMs = 60_000
const handle = '11111111-1111-4111-8111-111111111111'

/** A runner whose job was delivered. */
async function working(bench: ControlBench) {
  await bench.queue()
  const runner = await bench.runner()
  await bench.ledger.polled(runner.id)
  await bench.ledger.claim(runner, handle, 60 * minuteMs)
  await bench.ledger.minted(handle, 1, bench.vault.seal('jit', handle), 60 * minuteMs)
  await bench.ledger.deliver(handle, 60 * minuteMs)
  bench.host.runners.set(runner.name, 'running')
  return runner
}

async function lookAt(bench: ControlBench, runnerId: number): Promise<void> {
  const subject = await bench.ledger.subject({ kind: 'runner', id: runnerId })
  if (subject === null) throw new Error('the runner has ended')
  await look(subject, bench, never)
}

describe('recovery on the host', () => {
  it('seals an end as vanished only where the host itself confirms it', async () => {
    const bench = await createControlBench()
    const runner = await bench.runner()
    await bench.ledger.polled(runner.id)
    bench.host.runners.set(runner.name, 'running')
    bench.host.list = async () => [] // the cached list has a gap
    await lookAt(bench, runner.id)
    expect((await bench.ledger.findRunner(runner.name))?.state).toBe('polling')
    bench.host.runners.delete(runner.name)
    await lookAt(bench, runner.id)
    expect(await bench.ledger.findRunner(runner.name)).toMatchObject({ state: 'ended', reason: 'vanished' })
  })

  it('does not seal a runner as vanished that is started while it decides', async () => {
    const bench = await createControlBench()
    const runner = await bench.runner()
    await bench.advance(minuteMs)
    const gate = Promise.withResolvers<void>()
    const starting = bench.runnerMutex.run(runner.name, async () => {
      await gate.promise
      bench.host.runners.set(runner.name, 'running')
    })
    const looked = lookAt(bench, runner.id)
    await bench.advance(0)
    gate.resolve()
    await Promise.all([starting, looked])
    expect(bench.ledger.rows.evidence.size).toBe(0)
    expect(bench.ledger.rows.decisions.get(1)?.outcome).toBe('seal-vanished: seen again')
  })

  it.each([
    ['has a node that is back', { silentSince: null }],
    ['has ended', { state: 'exited' }],
  ] as const)('neither seals nor gives up a lost runner that %s before the act', async (_, facts) => {
    const bench = await createControlBench()
    const runner = await working(bench)
    const lost = { program: 'started', node: 'n1', silentSince: 1 } as const
    bench.host.facts.set(runner.name, lost)
    const { find } = bench.host
    let reads = 0
    bench.host.find = async (name, signal) => {
      if (++reads === 2) bench.host.facts.set(name, { ...lost, ...facts })
      return find(name, signal)
    }
    await lookAt(bench, runner.id)
    expect(bench.ledger.rows.evidence.size).toBe(0)
    expect(bench.host.calls).toEqual([])
    expect(bench.ledger.rows.decisions.get(1)?.outcome).toContain('seal-lost: seen again')
  })

  it('seals a runner as lost with its node and gives it up, and its job is requeued', async () => {
    const bench = await createControlBench()
    const runner = await working(bench)
    bench.host.facts.set(runner.name, { program: 'started', node: 'n1', silentSince: bench.clock.now() })
    await bench.advance(5 * minuteMs)
    await lookAt(bench, runner.id)
    expect(bench.host.calls).toEqual([`abandon ${runner.name}`])
    expect(bench.ledger.rows.evidence.get(1)).toMatchObject({
      record: { outcome: 'incomplete', class: 'node-lost' },
    })
    await bench.advance(5_000)
    const attempt = (await bench.ledger.due(10, hostId)).find((subject) => subject.kind === 'attempt')
    if (attempt === undefined) throw new Error('its attempt is not due')
    await look(attempt, bench, never)
    expect(bench.ledger.rows.jobs.get(1)?.state).toBe('queued')
  })

  it('gives up a start that a hanging runtime does not drop, without asking the forge', async () => {
    const bench = await createControlBench()
    const runner = await bench.runner()
    bench.host.runners.set(runner.name, 'running')
    await bench.ledger.fence(runner.id, 'it did not ask for work in time', { source: 'lifecycle' })
    const leavingSince = bench.clock.now()
    bench.host.facts.set(runner.name, { program: 'waiting', node: 'n1', leavingSince })
    const silent = () =>
      Promise.reject(new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'any', why: 'a test' }))
    const forge = { ...bench.forge, findRunner: silent, readJob: silent }
    const subject = async () => (await bench.ledger.subject({ kind: 'runner', id: runner.id })) as Subject
    await bench.advance(5 * minuteMs - 1)
    await look(await subject(), { ...bench, forge }, never)
    expect(bench.ledger.rows.evidence.size).toBe(0)
    await bench.advance(1)
    await look(await subject(), { ...bench, forge }, never)
    expect(bench.ledger.rows.evidence.get(1)).toMatchObject({
      record: { class: 'never-started', outcome: 'incomplete' },
    })
    expect((await bench.ledger.counts())[0]?.runners.fenced).toBe(0)
  })

  it('does not touch a runner on a silent node while the forge has it online (I4)', async () => {
    const bench = await createControlBench()
    const runner = await working(bench)
    bench.host.facts.set(runner.name, { program: 'started', node: 'n1', silentSince: 1 })
    const forge = {
      ...bench.forge,
      findRunner: async () => ({ id: 1, name: 'any', online: true, busy: true }),
    }
    const subject = await bench.ledger.subject({ kind: 'runner', id: runner.id })
    if (subject === null) throw new Error('the runner has ended')
    await look(subject, { ...bench, forge }, never)
    expect(bench.host.calls).toEqual([])
    expect(bench.ledger.rows.evidence.size).toBe(0)
  })

  it('keeps the record where the host refuses to give the runner up', async () => {
    const bench = await createControlBench()
    const runner = await working(bench)
    bench.host.facts.set(runner.name, { program: 'started', node: 'n1', silentSince: 1 })
    bench.host.abandon = async (name) => {
      throw new HoldfastError('E_RUNNER_NOT_ENDED', { name, why: 'its node is not silent' })
    }
    await lookAt(bench, runner.id)
    expect([...bench.ledger.rows.decisions.values()].at(-1)?.outcome).toBe(
      'seal-lost: sealed; abandon: refused',
    )
  })

  it('stops a started program only where the forge reports its job as over', async () => {
    const bench = await createControlBench()
    const runner = await working(bench)
    bench.host.facts.set(runner.name, { program: 'started' })
    const proof = { kind: 'never-registered', record: {} } as const
    const end = { kind: 'neverRegistered', proof, fate: { kind: 'gone' } } as const
    await bench.ledger.endAttempt(handle, end, { source: 'recovery' })
    await bench.advance(minuteMs)
    const orders: StopOrder[] = []
    bench.host.stop = async (_name, order) => {
      orders.push(order)
      return 'asked'
    }
    await lookAt(bench, runner.id)
    expect(orders).toMatchObject([{ evenIfStarted: true, graceMs: bench.stopGraceMs }])
  })

  it('stops at a refusal of the host: an idle runner whose program started is left alone', async () => {
    const bench = await createControlBench()
    const runner = await bench.runner()
    await bench.ledger.polled(runner.id)
    bench.host.runners.set(runner.name, 'running')
    bench.host.facts.set(runner.name, { program: 'started' })
    await heartbeatsFor(bench, 3)
    await lookAt(bench, runner.id)
    expect(bench.ledger.rows.decisions.get(1)?.outcome).toBe('fence: fenced; stop-runner: refused')
    expect(bench.host.calls).toEqual([])
  })

  it('fences no idle runner after our own downtime until each could poll again, and then only those that do not', async () => {
    const bench = await createControlBench()
    const [asks, hangs] = [await bench.runner('linux-0001'), await bench.runner('linux-0002')]
    for (const runner of [asks, hangs]) {
      await bench.ledger.polled(runner.id)
      bench.host.runners.set(runner.name, 'running')
    }
    const look = async () => {
      for (const { id } of [asks, hangs]) await lookAt(bench, id)
      const { rows } = await bench.ledger.runners(0)
      return rows.map(({ state }) => state)
    }
    await bench.advance(30 * minuteMs) // nothing of ours ran
    expect(await look()).toEqual(['polling', 'polling']) // also before our first heartbeat
    await heartbeatsFor(bench, 1)
    await bench.ledger.polled(asks.id)
    expect(await look()).toEqual(['polling', 'polling'])
    await heartbeatsFor(bench, 1.5)
    expect((await look()).toSorted()).toEqual(['fenced', 'polling'])
    expect((await bench.ledger.findRunner(hangs.name))?.state).toBe('fenced')
  })
})

/** Time passes while the heartbeats of the host arrive in time. */
async function heartbeatsFor(bench: ControlBench, minutes: number): Promise<void> {
  const { ledger, advance } = bench
  await ledger.heartbeat({ id: hostId, kind: 'local' })
  for (let passed = 0; passed < minutes; passed += 0.5) {
    await advance(minuteMs / 2)
    await ledger.heartbeat({ id: hostId, kind: 'local' })
  }
}
