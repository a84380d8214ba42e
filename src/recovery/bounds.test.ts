import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ControlBench,
  cause,
  createControlBench,
  exited,
  hostId,
  never,
} from '../../test/support/control-bench.ts'
import { classifyDeath } from '../domain/death/index.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import { type RecoveryBounds, recoveryBounds, scaledBounds } from '../domain/recovery/index.ts'
import type { Forge } from '../ports/forge.ts'
import type { Ledger } from '../ports/ledger.ts'
import { recoveryLoop } from './index.ts'

const minuteMs = 60_000
const stepMs = 5 * minuteMs
const farMs = 24 * 60 * minuteMs

const unavailable = () =>
  Promise.reject(new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'any', why: 'a test' }))

const handleOf = (n: number) => `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`

/** Busy runners, each with a job; their programs have started. */
async function atWork(bench: ControlBench, count: number, nodeOf = (n: number) => `node-${n % 50}`) {
  const { core, clock, forge, ledger, host } = bench
  const jobs = [{ name: 'test', labels: ['self-hosted'], script: 'true' }]
  for (let n = 1; n <= count; n += 1)
    core.submit({ repository: `acme/app-${n}`, workflow: 'ci', jobs }, clock.now())
  const asked = { installation: 'sim', since: 0, settledRuns: new Set<number>() }
  for (const event of (await forge.listJobs(asked, never)).events) await ledger.applyJobEvent(event, cause)
  for (let n = 1; n <= count; n += 1) {
    const row = {
      name: `linux-${n}`,
      pool: 'linux',
      host: hostId,
      identityHash: 'hash',
      bootDeadlineMs: minuteMs,
    }
    const runner = await ledger.enrol(row, cause)
    await ledger.polled(runner.id)
    await ledger.claim(runner, handleOf(n), farMs)
    await ledger.minted(handleOf(n), n, bench.vault.seal('jit', handleOf(n)), farMs)
    await ledger.deliver(handleOf(n), farMs)
    host.runners.set(runner.name, 'running')
    host.facts.set(runner.name, { program: 'started', node: nodeOf(n) })
  }
}

/** Their attempts end as if the forge had reported it, and their runners continue. */
async function disowned(bench: ControlBench, count: number): Promise<void> {
  const proof = { kind: 'never-registered', record: {} } as const
  for (let n = 1; n <= count; n += 1)
    await bench.ledger.endAttempt(
      handleOf(n),
      { kind: 'neverRegistered', proof, fate: { kind: 'gone' } },
      cause,
    )
}

/** A forge that reports every runner as idle, though all are busy, and removes any runner. */
const lying = ({ forge }: ControlBench): Forge => ({
  ...forge,
  readJob: async () => null,
  findRunner: async (_, name) => ({ id: 1, name, online: true, busy: false }),
  removeRunner: async () => 'removed',
})
/** The same forge, which reports the runners as offline. */
const deaf = (bench: ControlBench): Forge => ({
  ...bench.forge,
  findRunner: async (_, name) => ({ id: 1, name, online: false, busy: false }),
  removeRunner: async () => 'removed',
})

/** The bounds of the table, for a fleet of some dozen. */
const small: RecoveryBounds = {
  ...recoveryBounds,
  of: {
    ...recoveryBounds.of,
    'stop-started': { ...recoveryBounds.of['stop-started'], atLeast: 4, share: 0.25, perNode: 5 },
    disown: { ...recoveryBounds.of.disown, atLeast: 4, share: 0.5 },
  },
}
/** A bench whose stopped runners are leaving from then on. */
async function smallBench(): Promise<ControlBench> {
  const bench = await createControlBench()
  const { host, clock } = bench
  const { stop } = host
  host.stop = async (name, order) => {
    host.facts.set(name, { ...host.facts.get(name), leavingSince: clock.now() })
    return stop(name, order)
  }
  return { ...bench, bounds: small }
}

/** Looks at all due subjects, every five minutes unless given. */
async function goOn(
  bench: ControlBench,
  forge: Forge,
  forMs: number,
  processes = 1,
  everyMs = stepMs,
): Promise<void> {
  const loops = Array.from({ length: processes }, () => recoveryLoop({ ...bench, forge }, 1_000))
  for (let passedMs = 0; passedMs < forMs; passedMs += everyMs) {
    await bench.advance(everyMs)
    await Promise.all(loops.map((loop) => loop.pass(never)))
    await Promise.all(loops.map((loop) => loop.ended?.()))
  }
}

const stops = ({ host }: ControlBench) => new Set(host.calls.filter((call) => call.startsWith('stop '))).size
const abandons = ({ host }: ControlBench) => host.calls.filter((call) => call.startsWith('abandon ')).length
const open = async ({ ledger }: { ledger: Pick<Ledger, 'incidents'> }) =>
  (await ledger.incidents(0)).filter(({ kind }) => kind === 'recovery-bound')

describe('a wave of false "not busy" answers', () => {
  it('stops no more than the bound of an hour; the others continue, and an incident is opened once', async () => {
    const bench = await smallBench()
    await atWork(bench, 24)
    await disowned(bench, 24)
    await goOn(bench, lying(bench), 50 * minuteMs)
    expect(stops(bench)).toBe(6) // a quarter of 24
    const held = [...bench.ledger.rows.decisions.values()].filter(({ outcome }) =>
      outcome?.startsWith('hold'),
    )
    expect(new Set(held.map(({ runnerId }) => runnerId)).size).toBe(18)
    expect(held[0]).toMatchObject({
      rule: 'runner-without-attempt',
      actions: [{ kind: 'hold', bound: 'stop-started', scope: 'fleet' }],
      outcome: expect.stringContaining('stop-started is bounded to 6 runners in 60 min'),
    })
    expect(await open(bench)).toMatchObject([{ closedAt: null }])
    expect(bench.metrics.counts.get('holdfast_incidents_total{recovery-bound}')).toBe(1)
    expect(bench.metrics.counts.get('holdfast_acts_held_total{stop-started,fleet}')).toBe(held.length)
  })

  it('stops no more with two processes that share the ledger, and none after a restart', async () => {
    const bench = await smallBench()
    await atWork(bench, 16)
    await disowned(bench, 16)
    await goOn(bench, lying(bench), stepMs, 2)
    expect(stops(bench)).toBe(4)
    await goOn(bench, lying(bench), 40 * minuteMs)
    expect(stops(bench)).toBe(4)
  })

  it('stops no more where its jobs are archived at once', async () => {
    const bench = await smallBench()
    await atWork(bench, 16)
    await disowned(bench, 16)
    for (let n = 0; n < 8; n += 1) {
      await goOn(bench, lying(bench), stepMs)
      for (const { id, endedAt } of bench.ledger.rows.runners.values())
        if (endedAt === null && bench.host.calls.some((call) => call.startsWith(`stop linux-${id}:`)))
          await bench.ledger.sealDeath(id, classifyDeath(exited), 'stopped', cause)
      await bench.ledger.archive(0, 100)
    }
    expect(stops(bench)).toBe(4)
  })

  it('ends no more attempts of live runners than the bound', async () => {
    const bench = await smallBench()
    await atWork(bench, 16)
    for (const attempt of [...bench.ledger.rows.attempts.values()]) {
      const job = bench.ledger.rows.jobs.get(attempt.jobId)
      const found = job && (await bench.forge.readJob(job, job.forgeJobId, never))
      if (!found) throw new Error('the forge does not know the job')
      const begun = { runnerName: attempt.forgeRunnerName, startedAt: bench.clock.now() }
      await bench.ledger.applyJobEvent({ ...found, status: 'in_progress', ...begun }, cause)
    }
    await goOn(bench, lying(bench), 50 * minuteMs)
    const ended = [...bench.ledger.rows.attempts.values()].filter(({ endedAt }) => endedAt !== null)
    expect(ended).toHaveLength(8) // half of 16
  })

  it('is over when the forge is right again: held acts continue, and the incident is closed', async () => {
    const bench = await smallBench()
    await atWork(bench, 12)
    await disowned(bench, 12)
    await goOn(bench, lying(bench), 10 * minuteMs)
    expect(stops(bench)).toBe(4)
    const honest: Forge = {
      ...lying(bench),
      findRunner: async (_, name) => ({ id: 1, name, online: true, busy: true }),
    }
    await goOn(bench, honest, 90 * minuteMs)
    expect(stops(bench)).toBe(4)
    expect(await open(bench)).toEqual([])
    expect(bench.metrics.counts.get('holdfast_incidents_total{recovery-bound}')).toBe(1)
  })

  it('is completed, hour by hour, where it lasts', async () => {
    const bench = await smallBench()
    await atWork(bench, 12)
    await disowned(bench, 12)
    await goOn(bench, lying(bench), 55 * minuteMs)
    expect(stops(bench)).toBe(4)
    await goOn(bench, lying(bench), 20 * minuteMs)
    expect(stops(bench)).toBe(8)
    await goOn(bench, lying(bench), 60 * minuteMs)
    expect(stops(bench)).toBe(12)
  })
})

describe('the bound of a node', () => {
  it('holds back acts that the bound of the fleet would allow', async () => {
    const bench = await smallBench()
    await atWork(bench, 40, (n) => (n <= 12 ? 'bad' : `node-${n}`))
    await disowned(bench, 12)
    await goOn(bench, lying(bench), 50 * minuteMs)
    expect(stops(bench)).toBe(5) // of a fleet of 40 it would be 10
    expect(bench.metrics.counts.get('holdfast_acts_held_total{stop-started,node}')).toBeGreaterThan(0)
  })

  it('allows the loss of one node with 110 pods, in a fleet that has no other', async () => {
    const bench = await createControlBench()
    await atWork(bench, 110, () => 'lost')
    for (const name of bench.host.runners.keys())
      bench.host.facts.set(name, { program: 'started', node: 'lost', silentSince: bench.clock.now() })
    await goOn(bench, deaf(bench), 10 * minuteMs)
    expect(abandons(bench)).toBe(110)
    expect(await open(bench)).toEqual([])
  }, 60_000)
})

describe('the bounds do not count', () => {
  it('ends that the host itself proves: all vanish at once, and all are sealed', async () => {
    const bench = { ...(await createControlBench()), bounds: scaledBounds(0) }
    await atWork(bench, 40)
    bench.host.runners.clear()
    await goOn(bench, bench.forge, stepMs)
    const live = [...bench.ledger.rows.runners.values()].filter(({ endedAt }) => endedAt === null)
    expect(live).toEqual([])
    expect(await open(bench)).toEqual([])
  })

  it('stops that were refused, or that never began because the forge failed', async () => {
    const bench = await smallBench()
    await atWork(bench, 8)
    await disowned(bench, 8)
    bench.host.stop = async () => 'refused'
    await goOn(bench, lying(bench), 4 * stepMs)
    expect(bench.ledger.rows.boundedActs.size).toBe(0)
    const failing: Forge = {
      ...lying(bench),
      removeRunner: () => unavailable(),
    }
    await goOn(bench, failing, 8 * stepMs)
    expect(bench.ledger.rows.boundedActs.size).toBe(0)
    expect(await open(bench)).toEqual([]) // many acts under way at once do not reach a bound
  })

  it('refused stops, in any order with others: an incident is opened only for stops that were done', async () => {
    const refusedOrNot = fc.array(fc.constantFrom('asked', 'refused', 'refused', 'refused'), {
      minLength: 12,
      maxLength: 12,
    })
    const history = async (answers: readonly ('asked' | 'refused')[]) => {
      const bench = await smallBench()
      await atWork(bench, 12)
      await disowned(bench, 12)
      const answerOf = new Map([...bench.host.runners.keys()].map((name, n) => [name, answers[n]]))
      const { stop } = bench.host
      bench.host.stop = async (name, order) =>
        answerOf.get(name) === 'asked' ? stop(name, order) : 'refused'
      await goOn(bench, lying(bench), 20 * minuteMs, 1, 10_000)
      const asked = answers.filter((answer) => answer === 'asked').length
      expect(stops(bench)).toBeLessThanOrEqual(4)
      expect(bench.ledger.rows.boundedActs.size).toBe(stops(bench))
      // Below the bound every stop is tried, and no incident is opened; above it one is.
      if (asked < 4) expect([stops(bench), await open(bench)]).toEqual([asked, []])
      if (asked > 4) expect(await open(bench)).toHaveLength(1)
    }
    await fc.assert(fc.asyncProperty(refusedOrNot, history), { numRuns: 8 })
  }, 120_000)

  it('jobs as gone beyond the bound: no more are closed, and an incident is opened', async () => {
    const bounds: RecoveryBounds = {
      ...recoveryBounds,
      of: {
        ...recoveryBounds.of,
        'close-gone': { ...recoveryBounds.of['close-gone'], atLeast: 5, share: 0 },
      },
    }
    const bench = { ...(await createControlBench()), bounds }
    const queued = 12
    for (let n = 0; n < queued; n += 1) await bench.queue()
    const forgetful: Forge = { ...bench.forge, readJob: async () => null }
    await bench.advance(24 * 60 * minuteMs)
    await goOn(bench, forgetful, 50 * minuteMs)
    const gone = [...bench.ledger.rows.jobs.values()].filter(({ conclusion }) => conclusion === 'gone')
    expect(gone).toHaveLength(5)
    expect(await open(bench)).toMatchObject([{ closedAt: null, reason: expect.stringContaining('5 jobs') }])
    await goOn(bench, bench.forge, 90 * minuteMs)
    expect(await open(bench)).toEqual([]) // the forge knows them again: none of the others was closed
  })

  it('a stop less because its answer was lost', async () => {
    const bench = await smallBench()
    await atWork(bench, 1)
    await disowned(bench, 1)
    bench.host.stop = () => unavailable()
    await goOn(bench, lying(bench), stepMs)
    expect([...bench.ledger.rows.boundedActs.values()]).toMatchObject([{ kind: 'stop-started' }])
  })

  it('any act where the factor is 0: none is done', async () => {
    const bench = { ...(await createControlBench()), bounds: scaledBounds(0) }
    await atWork(bench, 3)
    await disowned(bench, 3)
    await goOn(bench, lying(bench), 10 * minuteMs)
    expect(stops(bench)).toBe(0)
    expect(recoveryBounds.of['stop-started'].atLeast).toBeGreaterThan(3)
  })
})
