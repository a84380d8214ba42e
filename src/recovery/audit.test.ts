import { describe, expect, it } from 'vitest'
import { type ControlBench, cause, createControlBench, never } from '../../test/support/control-bench.ts'
import { aPool } from '../../test/support/rows.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Job } from '../domain/job/index.ts'
import { needsOrigin, type Pool } from '../domain/pool/index.ts'
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
  bench.core.complete(begin(bench, name), jobId, 'success', bench.clock.now())
}

/** A runner of this name begins the job that waits; gives its session. */
function begin(bench: ControlBench, name: string): string {
  const minted = bench.core.mint({ repository: 'acme/web', name, labels: ['self-hosted'] }, bench.clock.now())
  if (minted.kind !== 'minted') throw new Error(minted.kind)
  const session = bench.core.connect(minted.jit, name, bench.clock.now())
  if (session.kind !== 'connected') throw new Error(session.kind)
  bench.core.poll(session.session, bench.clock.now())
  return session.session
}

describe('the audit', () => {
  it('enters a queued job without a webhook (I6)', async () => {
    const bench = await createControlBench()
    submit(bench)
    await pass(bench)
    expect([...bench.ledger.rows.jobs.values()]).toMatchObject([{ state: 'queued' }])
    expect(bench.ledger.rows.decisions.get(1)).toMatchObject({ rule: 'missed-job', outcome: 'hear: new' })
  })

  it('enters a job that one of our runners ran unseen, with the conclusion that the forge reports', async () => {
    const bench = await createControlBench()
    ran(bench, submit(bench), 'linux-0001-abcdef01')
    await pass(bench)
    expect([...bench.ledger.rows.jobs.values()]).toMatchObject([
      { state: 'completed', conclusion: 'success', executor: 'linux-0001-abcdef01' },
    ])
  })

  it('does not enter a job that another runner ran and finished', async () => {
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

  it("closes a job that ended during our downtime with the forge's times, not with ours", async () => {
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

  it('reads a job that is open here and not among the open jobs of the forge', async () => {
    const bench = await createControlBench()
    await pass(bench)
    const jobId = await bench.queue()
    bench.core.cancel(bench.ledger.rows.jobs.get(jobId)?.forgeJobId as number, bench.clock.now())
    const forge = {
      ...bench.forge,
      listJobs: async () => ({ events: [], read: [], notCovered: [], runsGone: 0 }),
    }
    await pass(bench, { forge })
    expect(bench.ledger.rows.jobs.get(jobId)).toMatchObject({ state: 'cancelled' })
  })

  it('does not close a job that is open here and that the forge does not know: another rule decides', async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    const forge = {
      ...bench.forge,
      listJobs: async () => ({ events: [], read: [], notCovered: [], runsGone: 0 }),
      readJob: async () => null,
    }
    await pass(bench, { forge })
    expect(bench.ledger.rows.jobs.get(jobId)).toMatchObject({ state: 'queued' })
  })

  it('continues where the forge does not answer about such a job, whose repository may be closed to us', async () => {
    const bench = await createControlBench()
    const jobId = await bench.queue()
    const missed = submit(bench)
    const listJobs = async (asked: JobsAsked) => {
      const listed = await bench.forge.listJobs(asked, never)
      return { ...listed, events: listed.events.filter(({ job }) => job.forgeJobId === missed) }
    }
    await pass(bench, { forge: { ...bench.forge, listJobs, readJob: silence } })
    expect(bench.ledger.rows.jobs.get(jobId)).toMatchObject({ state: 'queued' })
    expect(await bench.ledger.findJob('sim', missed)).not.toBeNull()
    expect(await cursorOf(bench)).not.toBeNull()
  })

  it('applies the others where the ledger cannot apply one event, and reads only that repository again', async () => {
    const bench = await createControlBench()
    await pass(bench)
    const before = await cursorOf(bench)
    await bench.advance(everyMs)
    const poison = submit(bench, 'acme/poison')
    const good = submit(bench, 'acme/web')
    const applyJobEvent: typeof bench.ledger.applyJobEvent = (event, ...rest) =>
      event.job.forgeJobId === poison
        ? Promise.reject(new Error('a test'))
        : bench.ledger.applyJobEvent(event, ...rest)
    await pass(bench, { ledger: { ...bench.ledger, applyJobEvent } })
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

  it('moves no cursor where the ledger itself is unavailable', async () => {
    const bench = await createControlBench()
    submit(bench)
    const away = new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'a test' })
    const ledger = { ...bench.ledger, applyJobEvent: () => Promise.reject(away) }
    await expect(pass(bench, { ledger })).rejects.toBe(away)
    expect(await cursorOf(bench)).toBeNull()
  })

  it('reads the others where reading one open job fails by a defect of ours', async () => {
    const bench = await createControlBench()
    const [poison, good] = [await bench.queue('acme/poison'), await bench.queue()]
    const forgeIdOf = (jobId: number) => bench.ledger.rows.jobs.get(jobId)?.forgeJobId as number
    bench.core.cancel(forgeIdOf(good), bench.clock.now())
    const forge: typeof bench.forge = {
      ...bench.forge,
      listJobs: async () => ({ events: [], read: [], notCovered: [], runsGone: 0 }),
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

  it('reads the others in the next pass where five repositories never answer', async () => {
    const bench = await createControlBench()
    const good = await bench.queue()
    await bench.advance(1_000)
    for (let n = 0; n < 5; n += 1) await bench.queue('acme/closed')
    bench.core.cancel(bench.ledger.rows.jobs.get(good)?.forgeJobId as number, bench.clock.now())
    const forge: typeof bench.forge = {
      ...bench.forge,
      listJobs: async () => ({ events: [], read: [], notCovered: [], runsGone: 0 }),
      readJob: (scope, id, signal) =>
        scope.repository === 'acme/closed' ? silence() : bench.forge.readJob(scope, id, signal),
    }
    await pass(bench, { forge })
    expect(bench.ledger.rows.jobs.get(good)).toMatchObject({ state: 'queued' })
    await pass(bench, { forge })
    expect(bench.ledger.rows.jobs.get(good)).toMatchObject({ state: 'cancelled' })
  })

  it('checks registrations and unreachable repositories although the listing failed, and then reports that', async () => {
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

  it('returns on demand what differed and what was done', async () => {
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

describe('the audit of a repository that is published', () => {
  /** A job that waits, and an audit after the repository was made public or private. */
  async function openWaiting(rules: Partial<Pool> = { publicRepositories: 'refuse' }, isPublic = false) {
    const bench = await createControlBench()
    await bench.ledger.putPools([aPool(rules)], cause)
    bench.core.accounts.putRepository('acme/web', isPublic)
    const jobId = await bench.queue()
    const job = () => bench.ledger.rows.jobs.get(jobId)
    const turn = async (isPublic: boolean) => {
      bench.core.accounts.putRepository('acme/web', isPublic)
      await pass(bench)
    }
    return { bench, jobId, job, turn }
  }

  it('takes its jobs out of a pool that refuses them, and back when it is private again', async () => {
    const { job, turn } = await openWaiting()
    expect(job()).toMatchObject({ pool: 'linux', visibility: 'private' })
    await turn(true)
    expect(job()).toMatchObject({ pool: null, visibility: 'public' })
    await turn(false)
    expect(job()).toMatchObject({ pool: 'linux', visibility: 'private' })
  })

  it('notes it of a job that is claimed, which may come back into the queue before the next audit', async () => {
    const { bench, jobId, job, turn } = await openWaiting()
    const runner = await bench.runner()
    await bench.ledger.polled(runner.id)
    const handle = '00000000-0000-4000-8000-000000000001'
    await bench.ledger.claim(runner, handle, 60_000)
    await turn(true)
    expect(job()).toMatchObject({ state: 'claimed', visibility: 'public' })
    const failure = { reason: 'no', concerns: 'job', delayMs: 0, failuresMax: 9, incident: null } as const
    await bench.ledger.mintFailed(handle, failure)
    expect(bench.ledger.rows.jobs.get(jobId)).toMatchObject({ state: 'queued', pool: null })
  })

  it('notes it of a job that runs, which the forge may queue again when its runner is lost', async () => {
    const { bench, job, turn } = await openWaiting()
    begin(bench, 'linux-0001-abcdef01')
    await pass(bench)
    expect(job()).toMatchObject({ state: 'running', visibility: 'private' })
    await turn(true)
    expect(job()).toMatchObject({ state: 'running', visibility: 'public' })
  })

  it('notes that it is private again where only then the fork matters, so that the forge is asked for that', async () => {
    const { bench, job, turn } = await openWaiting({ publicRepositories: 'refuse', forks: 'refuse' }, true)
    const isAskedFor = async () => needsOrigin(job() as Job, await bench.ledger.pools())
    expect(await isAskedFor()).toBe(false)
    await turn(false)
    expect(await isAskedFor()).toBe(true)
  })

  it('notes it while there is no pool, so that one which is declared later does not get its jobs', async () => {
    const { bench, job, turn } = await openWaiting()
    await bench.ledger.putPools([], cause)
    await turn(true)
    await bench.ledger.putPools([aPool({ publicRepositories: 'refuse' })], cause)
    expect(job()).toMatchObject({ pool: null, visibility: 'public' })
  })

  it('moves nothing where the pool takes both, and writes nothing a second time', async () => {
    const { bench, job, turn } = await openWaiting({ publicRepositories: 'allow', forks: 'allow' })
    const before = bench.ledger.rows.timeline.length
    await turn(true)
    const noted = job()
    expect(noted).toMatchObject({ pool: 'linux', visibility: 'public' })
    await turn(true)
    expect(job()).toBe(noted)
    expect(bench.ledger.rows.timeline).toHaveLength(before)
  })
})

describe('the audit and the forge’s limit', () => {
  const low = (bench: ControlBench, remaining: number) =>
    bench.budget.note({ limit: 1_000, remaining, resetAt: bench.clock.now() + 30 * 60_000 })

  it('is three times as rare below half of it', async () => {
    const bench = await createControlBench()
    expect(await pass(bench)).toEqual({ kind: 'done' })
    low(bench, 499)
    expect(await pass(bench)).toEqual({ kind: 'requeue-after', afterMs: 3 * everyMs })
  })

  it('is put off below a tenth, logs that once, and continues when the limit is renewed', async () => {
    const bench = await createControlBench()
    submit(bench)
    low(bench, 99)
    const loop = auditLoop(bench, everyMs)
    for (let turn = 0; turn < 3; turn += 1) expect((await loop.pass(never)).kind).toBe('requeue-after')
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
  /** Two audits, with a message received in between; returns the request of the second. */
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
    for (const event of listed.events) await bench.ledger.applyJobEvent(event, { source: 'webhook' })
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

  it('are not listed where every message of the time arrived', async () => {
    const bench = await createControlBench()
    expect(runs(await secondAudit(bench))).toBe(1)
  })

  it('are listed where a message is missing', async () => {
    const bench = await createControlBench()
    const lose = () => void bench.deliveries.sent.push(sentNow(bench, 'two', false))
    expect(runs(await secondAudit(bench, lose))).toBe(0)
  })

  it('are listed, far back, where a message was lost for good', async () => {
    const bench = await createControlBench()
    const lose = () => void bench.deliveries.sent.push(sentNow(bench, 'two', false))
    const deliveries = { ...bench.deliveries, sendAgain: async () => 'gone' as const }
    const asked = await secondAudit(bench, lose, { deliveries })
    expect(runs(asked)).toBe(0)
    expect(bench.clock.now() - asked.since).toBeGreaterThan(6 * 60 * 60_000)
  })

  it('are listed where a message could not be worked on', async () => {
    const bench = await createControlBench()
    const poison = async () => {
      const body = { guid: 'odd', installation: 'sim', event: 'workflow_job', subject: null, body: '' }
      await bench.ledger.storeDelivery(body)
      await bench.ledger.settleDelivery('odd', { kind: 'poison', note: 'no id' })
    }
    expect(runs(await secondAudit(bench, poison))).toBe(0)
  })

  it('are listed where no message arrived at all: the webhooks may be switched off', async () => {
    const bench = await createControlBench()
    const nothing = () => void bench.deliveries.sent.splice(0)
    expect(runs(await secondAudit(bench, nothing))).toBe(0)
  })

  it('are listed where the forge keeps no list', async () => {
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
