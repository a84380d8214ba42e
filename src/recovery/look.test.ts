import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, hostId, never } from '../../test/support/control-bench.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Subject } from '../domain/recovery/index.ts'
import { auditLoop, look, type RecoveryDeps, recoveryLoop } from './index.ts'

const silence = () => Promise.reject(new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'any', why: 'a test' }))
const depsOf = (bench: ControlBench, over: Partial<RecoveryDeps> = {}): RecoveryDeps => ({
  ...bench,
  stopGraceMs: 1_000,
  startDeadlineMs: 60_000,
  ...over,
})

/** A job that was claimed and never delivered, past its deadline. */
async function staleClaim(bench: ControlBench): Promise<Subject> {
  await bench.queue()
  const runner = await bench.runner()
  await bench.ledger.polled(runner.id)
  await bench.ledger.claim(runner, '11111111-1111-4111-8111-111111111111', 1_000)
  await bench.advance(2_000)
  const [subject] = await bench.ledger.due(10, hostId)
  if (subject === undefined) throw new Error('nothing is due')
  return subject
}

describe('a look at a subject', () => {
  it('reads what the rule needs, acts, and keeps the decision with its facts and outcome', async () => {
    const bench = await createControlBench()
    await look(await staleClaim(bench), depsOf(bench), never)
    expect(bench.ledger.rows.jobs.get(1)?.state).toBe('queued')
    expect(bench.ledger.rows.decisions.get(1)).toMatchObject({
      rule: 'stale-claim',
      jobId: 1,
      facts: { forgeJob: { known: true }, forgeRunner: { known: true, value: { kind: 'absent' } } },
      outcome: 'end-attempt: ok',
    })
  })

  it('does nothing while a fact cannot be read, and comes back', async () => {
    const bench = await createControlBench()
    const subject = await staleClaim(bench)
    let asked = 0
    const readJob = () => {
      asked += 1
      return silence()
    }
    await look(subject, depsOf(bench, { forge: { ...bench.forge, readJob } }), never)
    expect(asked).toBe(1)
    expect(bench.ledger.rows.jobs.get(1)?.state).toBe('claimed')
    expect(bench.ledger.rows.decisions.size).toBe(0)
    expect(await bench.ledger.due(10, hostId)).toEqual([])
    await bench.advance(10_000)
    expect(await bench.ledger.due(10, hostId)).toHaveLength(1)
  })

  it('stops at an action that is refused: a runner that turns out to be busy is not given up', async () => {
    const bench = await createControlBench()
    const subject = await staleClaim(bench)
    const forge = {
      ...bench.forge,
      findRunner: async () => ({ id: 9, name: 'any', online: true, busy: false }),
      removeRunner: async () => 'busy' as const,
    }
    await look(subject, depsOf(bench, { forge }), never)
    expect(bench.ledger.rows.jobs.get(1)?.state).toBe('claimed')
    expect(bench.ledger.rows.decisions.get(1)?.outcome).toBe('remove-registration: busy')
  })

  it('keeps the decision before it acts, so that a crash in between shows what was about to be done', async () => {
    const bench = await createControlBench()
    const subject = await staleClaim(bench)
    const ledger = { ...bench.ledger, endAttempt: () => Promise.reject(new Error('killed')) }
    await expect(look(subject, depsOf(bench, { ledger }), never)).rejects.toThrow('killed')
    expect(bench.ledger.rows.decisions.get(1)).toMatchObject({ rule: 'stale-claim', outcome: null })
  })

  it('throws what is no silence, so that a defect is never read as an unknown fact', async () => {
    const bench = await createControlBench()
    const subject = await staleClaim(bench)
    const forge = { ...bench.forge, readJob: () => Promise.reject(new Error('a defect')) }
    await expect(look(subject, depsOf(bench, { forge }), never)).rejects.toThrow('a defect')
  })
})

describe('the sweep', () => {
  it('looks at what is due and leaves what is not', async () => {
    const bench = await createControlBench()
    await staleClaim(bench)
    const loop = recoveryLoop(depsOf(bench), 1_000)
    await loop.pass(never)
    const decided = [...bench.ledger.rows.decisions.values()].map(({ rule }) => rule)
    expect(decided).toContain('stale-claim')
    await bench.ledger.postpone({ kind: 'job', id: 1 }, 60_000)
    await loop.pass(never)
    expect(bench.ledger.rows.decisions.size).toBe(decided.length)
  })
})

describe('the audit', () => {
  const submit = (bench: ControlBench) => {
    const jobs = [{ name: 'test', labels: ['self-hosted'], script: 'true' }]
    return bench.core.submit({ repository: 'acme/web', workflow: 'ci', jobs }, bench.clock.now())
      .jobIds[0] as number
  }
  const pass = (bench: ControlBench, over: Partial<RecoveryDeps> = {}) =>
    auditLoop(depsOf(bench, over), 'sim', 1_000).pass(never)

  it('enters a queued job of which no webhook told (I6)', async () => {
    const bench = await createControlBench()
    submit(bench)
    await pass(bench)
    expect([...bench.ledger.rows.jobs.values()]).toMatchObject([{ state: 'queued' }])
    expect(bench.ledger.rows.decisions.get(1)).toMatchObject({ rule: 'missed-job', outcome: 'hear: new' })
  })

  it('enters a job that one of our runners ran unseen, with the end that the forge gives it', async () => {
    const bench = await createControlBench()
    const id = submit(bench)
    ran(bench, id, 'linux-0001-abcdef01')
    await pass(bench)
    expect([...bench.ledger.rows.jobs.values()]).toMatchObject([
      { state: 'completed', conclusion: 'success', executor: 'linux-0001-abcdef01' },
    ])
  })

  it('does not enter a job that somebody else ran and finished', async () => {
    const bench = await createControlBench()
    ran(bench, submit(bench), 'foreign-0001')
    await pass(bench)
    expect(bench.ledger.rows.jobs.size).toBe(0)
  })

  it('closes an open job whose end was missed', async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    bench.core.cancel(bench.ledger.rows.jobs.get(jobId)?.forgeJobId as number, bench.clock.now())
    await pass(bench)
    expect(bench.ledger.rows.jobs.get(jobId)).toMatchObject({ state: 'cancelled', conclusion: 'cancelled' })
    expect(bench.ledger.rows.decisions.get(1)?.rule).toBe('missed-word')
  })

  it('does not read a listing that failed as "nothing is queued" (I10)', async () => {
    const bench = await createControlBench()
    await bench.queue()
    await expect(pass(bench, { forge: { ...bench.forge, listJobs: silence } })).rejects.toMatchObject({
      code: 'E_FORGE_UNAVAILABLE',
    })
    expect(bench.ledger.rows.jobs.get(1)?.state).toBe('queued')
  })

  function ran(bench: ControlBench, jobId: number, name: string): void {
    const now = bench.clock.now()
    const minted = bench.core.mint({ repository: 'acme/web', name, labels: ['self-hosted'] }, now)
    if (minted.kind !== 'minted') throw new Error(minted.kind)
    const session = bench.core.connect(minted.jit, name, now)
    if (session.kind !== 'connected') throw new Error(session.kind)
    bench.core.poll(session.session, now)
    bench.core.complete(session.session, jobId, 'success', now)
  }
})
