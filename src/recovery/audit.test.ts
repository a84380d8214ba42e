import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, never } from '../../test/support/control-bench.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { JobsAsked } from '../ports/forge.ts'
import { type AuditDeps, auditLoop, auditNow, redeliver } from './index.ts'

const everyMs = 300_000
const silence = () => Promise.reject(new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'any', why: 'a test' }))
const pass = (bench: ControlBench, over: Partial<AuditDeps> = {}) =>
  auditLoop({ ...bench, ...over }, everyMs).pass(never)
const now = (bench: ControlBench, over: Partial<AuditDeps> = {}) =>
  auditNow({ ...bench, ...over }, everyMs, never)
const cursorOf = (bench: ControlBench) => bench.ledger.cursor('audit sim')

function submit(bench: ControlBench, repository = 'acme/web'): number {
  const jobs = [{ name: 'test', labels: ['self-hosted'], script: 'true' }]
  return bench.core.submit({ repository, workflow: 'ci', jobs }, bench.clock.now()).jobIds[0] as number
}

function ran(bench: ControlBench, jobId: number, name: string): void {
  const minted = bench.core.mint({ repository: 'acme/web', name, labels: ['self-hosted'] }, bench.clock.now())
  if (minted.kind !== 'minted') throw new Error(minted.kind)
  const session = bench.core.connect(minted.jit, name, bench.clock.now())
  if (session.kind !== 'connected') throw new Error(session.kind)
  bench.core.poll(session.session, bench.clock.now())
  bench.core.complete(session.session, jobId, 'success', bench.clock.now())
}

describe('the audit', () => {
  it('enters a queued job of which no webhook told (I6)', async () => {
    const bench = await createControlBench()
    submit(bench)
    await pass(bench)
    expect([...bench.ledger.rows.jobs.values()]).toMatchObject([{ state: 'queued' }])
    expect(bench.ledger.rows.decisions.get(1)).toMatchObject({ rule: 'missed-job', outcome: 'hear: new' })
  })

  it('enters a job that one of our runners ran unseen, with the end that the forge gives it', async () => {
    const bench = await createControlBench()
    ran(bench, submit(bench), 'linux-0001-abcdef01')
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

  it("closes a job that ended while we were away with the forge's times, not with ours", async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    const startedAt = bench.clock.now()
    ran(bench, bench.ledger.rows.jobs.get(jobId)?.forgeJobId as number, 'foreign-0001')
    await bench.advance(3 * 60 * 60_000)
    await pass(bench)
    expect(bench.ledger.rows.jobs.get(jobId)).toMatchObject({
      state: 'completed',
      executor: 'foreign-0001',
      forgeStartedAt: startedAt,
      forgeCompletedAt: startedAt,
      endedAt: bench.clock.now(),
    })
  })

  it('does not read a listing that failed as "nothing is queued", and moves no cursor (I10)', async () => {
    const bench = await createControlBench()
    await bench.queue()
    await expect(pass(bench, { forge: { ...bench.forge, listJobs: silence } })).rejects.toMatchObject({
      code: 'E_FORGE_UNAVAILABLE',
    })
    expect(bench.ledger.rows.jobs.get(1)?.state).toBe('queued')
    expect(await cursorOf(bench)).toBeNull()
  })

  it('asks about a job that is open here and not among those that the forge has open', async () => {
    const bench = await createControlBench()
    await pass(bench)
    const jobId = await bench.queue()
    bench.core.cancel(bench.ledger.rows.jobs.get(jobId)?.forgeJobId as number, bench.clock.now())
    const forge = {
      ...bench.forge,
      listJobs: async () => ({ words: [], read: [], notCovered: [], runsGone: 0 }),
    }
    await pass(bench, { forge })
    expect(bench.ledger.rows.jobs.get(jobId)).toMatchObject({ state: 'cancelled' })
  })

  it('does not close a job that is open here and that the forge does not know: another rule decides', async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    const forge = {
      ...bench.forge,
      listJobs: async () => ({ words: [], read: [], notCovered: [], runsGone: 0 }),
      readJob: async () => null,
    }
    await pass(bench, { forge })
    expect(bench.ledger.rows.jobs.get(jobId)).toMatchObject({ state: 'queued' })
  })

  it('goes on where the forge does not answer about such a job, whose repository may be closed to us', async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    const missed = submit(bench)
    const listJobs = async (asked: JobsAsked) => {
      const listed = await bench.forge.listJobs(asked, never)
      return { ...listed, words: listed.words.filter(({ job }) => job.forgeJobId === missed) }
    }
    await pass(bench, { forge: { ...bench.forge, listJobs, readJob: silence } })
    expect(bench.ledger.rows.jobs.get(jobId)).toMatchObject({ state: 'queued' })
    expect(await bench.ledger.findJob('sim', missed)).not.toBeNull()
    expect(await cursorOf(bench)).not.toBeNull()
  })

  it('hears the others where the ledger cannot take one word, and reads that repository again, no other', async () => {
    const bench = await createControlBench()
    await pass(bench)
    const before = await cursorOf(bench)
    await bench.advance(everyMs)
    const poison = submit(bench, 'acme/poison')
    const good = submit(bench, 'acme/web')
    const hear: typeof bench.ledger.hear = (word, ...rest) =>
      word.job.forgeJobId === poison ? Promise.reject(new Error('a test')) : bench.ledger.hear(word, ...rest)
    await pass(bench, { ledger: { ...bench.ledger, hear } })
    expect(await bench.ledger.findJob('sim', good)).not.toBeNull()
    expect(await bench.ledger.findJob('sim', poison)).toBeNull()
    expect(bench.metrics.counts.get('holdfast_task_failures_total{audit}')).toBe(1)
    expect(await cursorOf(bench)).toBe(bench.clock.now())
    expect(await bench.ledger.cursor('audit sim acme/poison')).toBeLessThan(before as number)
    await bench.advance(everyMs)
    let asked: JobsAsked | undefined
    const listJobs = (what: JobsAsked) => {
      asked = what
      return bench.forge.listJobs(what, never)
    }
    await pass(bench, { forge: { ...bench.forge, listJobs } })
    expect([...(asked?.heldBack?.keys() ?? [])]).toEqual(['acme/poison'])
    expect(await bench.ledger.findJob('sim', poison)).not.toBeNull()
    expect(await bench.ledger.cursor('audit sim acme/poison')).toBe(bench.clock.now())
  })

  it('moves no cursor where the ledger itself is away', async () => {
    const bench = await createControlBench()
    submit(bench)
    const away = new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'a test' })
    const ledger = { ...bench.ledger, hear: () => Promise.reject(away) }
    await expect(pass(bench, { ledger })).rejects.toBe(away)
    expect(await cursorOf(bench)).toBeNull()
  })

  it('asks about the others where asking about one open job fails by a defect of ours', async () => {
    const bench = await createControlBench()
    const [poison, good] = [await bench.queue('acme/poison'), await bench.queue()]
    const forgeIdOf = (jobId: number) => bench.ledger.rows.jobs.get(jobId)?.forgeJobId as number
    bench.core.cancel(forgeIdOf(good), bench.clock.now())
    const forge: typeof bench.forge = {
      ...bench.forge,
      listJobs: async () => ({ words: [], read: [], notCovered: [], runsGone: 0 }),
      readJob: async (scope, id, signal) => {
        if (id === forgeIdOf(poison)) throw new Error('a test')
        return bench.forge.readJob(scope, id, signal)
      },
    }
    await pass(bench, { forge })
    expect(bench.ledger.rows.jobs.get(good)).toMatchObject({ state: 'cancelled' })
    expect(bench.ledger.rows.jobs.get(poison)).toMatchObject({ state: 'queued' })
    expect(bench.metrics.counts.get('holdfast_task_failures_total{audit}')).toBe(1)
  })

  it('asks about the others in the next pass where five repositories never answer', async () => {
    const bench = await createControlBench()
    const good = await bench.queue()
    await bench.advance(1_000)
    for (let n = 0; n < 5; n += 1) await bench.queue('acme/closed')
    bench.core.cancel(bench.ledger.rows.jobs.get(good)?.forgeJobId as number, bench.clock.now())
    const forge: typeof bench.forge = {
      ...bench.forge,
      listJobs: async () => ({ words: [], read: [], notCovered: [], runsGone: 0 }),
      readJob: (scope, id, signal) =>
        scope.repository === 'acme/closed' ? silence() : bench.forge.readJob(scope, id, signal),
    }
    await pass(bench, { forge })
    expect(bench.ledger.rows.jobs.get(good)).toMatchObject({ state: 'queued' })
    await pass(bench, { forge })
    expect(bench.ledger.rows.jobs.get(good)).toMatchObject({ state: 'cancelled' })
  })

  it('looks at registrations and at what is out of reach although the listing failed, and tells of that then', async () => {
    const bench = await createControlBench()
    await bench.queue()
    const asked: string[] = []
    const forge: typeof bench.forge = {
      ...bench.forge,
      listJobs: silence,
      unreachable: async (...given) => {
        asked.push('reach')
        return bench.forge.unreachable(...given)
      },
    }
    const unusedRegistrations: typeof bench.ledger.unusedRegistrations = async (...given) => {
      asked.push('registrations')
      return bench.ledger.unusedRegistrations(...given)
    }
    await expect(
      pass(bench, { forge, ledger: { ...bench.ledger, unusedRegistrations } }),
    ).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
    expect(asked).toEqual(['registrations', 'reach'])
    expect(await cursorOf(bench)).toBeNull()
  })

  it('tells on demand what differed and what was done', async () => {
    const bench = await createControlBench()
    const known = await bench.queue()
    const forgeJobId = bench.ledger.rows.jobs.get(known)?.forgeJobId as number
    bench.core.cancel(forgeJobId, bench.clock.now())
    const unknown = submit(bench, 'acme/api')
    const report = await now(bench)
    expect(report.compared?.differences).toMatchObject([
      {
        jobId: known,
        forgeJobId,
        repository: 'acme/web',
        forge: 'completed (cancelled)',
        ledger: 'queued',
        rule: 'missed-word',
        done: 'brought up to date',
      },
      {
        forgeJobId: unknown,
        repository: 'acme/api',
        forge: 'queued',
        ledger: 'unknown',
        rule: 'missed-job',
        done: 'entered',
      },
    ])
    expect(report).toMatchObject({
      putOff: null,
      deliveries: { looked: 0, missing: 0, sentAgain: 0, gone: 0 },
      budget: { pace: 'full' },
    })
    expect((await now(bench)).compared?.differences).toEqual([])
  })
})

describe('the audit and the forge’s limit', () => {
  const low = (bench: ControlBench, remaining: number) =>
    bench.budget.note({ limit: 1_000, remaining, resetAt: bench.clock.now() + 30 * 60_000 })

  it('is three times as rare below half of it', async () => {
    const bench = await createControlBench()
    expect(await pass(bench)).toEqual({ kind: 'done' })
    low(bench, 499)
    expect(await pass(bench)).toEqual({ kind: 'again', inMs: 3 * everyMs })
  })

  it('is put off below a tenth, says so once, and goes on when the limit is renewed', async () => {
    const bench = await createControlBench()
    submit(bench)
    low(bench, 99)
    const loop = auditLoop(bench, everyMs)
    for (let turn = 0; turn < 3; turn += 1) expect((await loop.pass(never)).kind).toBe('again')
    expect(bench.ledger.rows.jobs.size).toBe(0)
    expect(bench.log.lines.filter(({ message }) => message.includes('put off'))).toHaveLength(1)
    const report = await now(bench)
    expect(report).toMatchObject({
      compared: null,
      putOff: { why: '99 of 1000 calls to the forge are left' },
    })
    await bench.advance(30 * 60_000)
    await loop.pass(never)
    expect(bench.ledger.rows.jobs.size).toBe(1)
  })
})

describe('runs that are settled here', () => {
  /** Two audits, with a message received in between; gives what the second asked for. */
  async function secondAudit(
    bench: ControlBench,
    between: (bench: ControlBench) => Promise<void> | void = () => undefined,
    over: Partial<AuditDeps> = {},
  ): Promise<JobsAsked> {
    const asked: JobsAsked[] = []
    const forge = {
      ...bench.forge,
      listJobs(jobs: JobsAsked, signal: AbortSignal) {
        asked.push(jobs)
        return bench.forge.listJobs(jobs, signal)
      },
    }
    if (over.deliveries !== null) await redeliver(bench, bench.deliveries, never)
    await bench.advance(1)
    await now(bench, { forge, ...over })
    await bench.advance(60_000)
    const jobId = await bench.queue()
    bench.core.cancel(bench.ledger.rows.jobs.get(jobId)?.forgeJobId as number, bench.clock.now())
    const listed = await bench.forge.listJobs(
      { installation: 'sim', since: 0, settledRuns: new Set() },
      never,
    )
    for (const word of listed.words) await bench.ledger.hear(word, { source: 'webhook' })
    bench.deliveries.sent.push(sentNow(bench, 'one', true))
    await between(bench)
    await bench.advance(60_000)
    await now(bench, { forge, ...over })
    return asked[1] as JobsAsked
  }
  const sentNow = (bench: ControlBench, guid: string, isReceived: boolean) => ({
    id: guid,
    guid,
    event: 'workflow_job',
    sentAt: bench.clock.now(),
    isReceived,
  })
  const runs = (asked: JobsAsked) => asked.settledRuns.size

  it('are not asked about where every message of the time came', async () => {
    const bench = await createControlBench()
    expect(runs(await secondAudit(bench))).toBe(1)
  })

  it('are asked about where a message is missing', async () => {
    const bench = await createControlBench()
    const lose = () => void bench.deliveries.sent.push(sentNow(bench, 'two', false))
    expect(runs(await secondAudit(bench, lose))).toBe(0)
  })

  it('are asked about, far back, where a message was lost for good', async () => {
    const bench = await createControlBench()
    const lose = () => void bench.deliveries.sent.push(sentNow(bench, 'two', false))
    const deliveries = { ...bench.deliveries, sendAgain: async () => 'gone' as const }
    const asked = await secondAudit(bench, lose, { deliveries })
    expect(runs(asked)).toBe(0)
    expect(bench.clock.now() - asked.since).toBeGreaterThan(6 * 60 * 60_000)
  })

  it('are asked about where a message could not be worked on', async () => {
    const bench = await createControlBench()
    const poison = async () => {
      const body = { guid: 'odd', installation: 'sim', event: 'workflow_job', subject: null, body: '' }
      await bench.ledger.storeDelivery(body)
      await bench.ledger.settleDelivery('odd', { kind: 'poison', note: 'no id' })
    }
    expect(runs(await secondAudit(bench, poison))).toBe(0)
  })

  it('are asked about where nothing came at all: the webhooks may be switched off', async () => {
    const bench = await createControlBench()
    const nothing = () => void bench.deliveries.sent.splice(0)
    expect(runs(await secondAudit(bench, nothing))).toBe(0)
  })

  it('are asked about where the forge keeps no list', async () => {
    const bench = await createControlBench()
    expect(runs(await secondAudit(bench, undefined, { deliveries: null }))).toBe(0)
  })

  it('are listed back to the oldest job that was under way where the forge keeps no list', async () => {
    const bench = await createControlBench()
    await bench.queue()
    const queuedAt = bench.clock.now()
    await bench.advance(60 * 60_000)
    const asked = await secondAudit(bench, undefined, { deliveries: null })
    expect(asked.since).toBeLessThanOrEqual(queuedAt)
  })
})
