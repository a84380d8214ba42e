import { describe, expect, it } from 'vitest'
import { cause, createBench, jobEventOf, operatorToken } from '../../../test/support/holdfast-app.ts'
import { jobFileSchema, jobListSchema, runnerListSchema, whySchema } from '../../api/index.ts'
import { classifyDeath, type Ending } from '../../domain/death/index.ts'
import type { Runner } from '../../domain/runner/index.ts'

type ErrorAnswer = { error: { code: string; message: string } }
const bearer = { authorization: `Bearer ${operatorToken}` }
const ending: Ending = {
  exitCode: null,
  signal: 'SIGKILL',
  startedAt: 1,
  endedAt: 2,
  tail: 'token=ghp_abcdefghijklmnopqrst and then nothing',
  oomKills: 0,
  memoryPeakBytes: 5,
  memoryLimitBytes: null,
  samples: Array.from({ length: 300 }, (_, at) => ({ at, memoryBytes: 1, cpuMs: 1, processes: 1 })),
  stopRequestedBy: null,
  pod: null,
  missing: [],
}

describe('GET /v1/jobs', () => {
  it('lists jobs newest first, with the time at which the ledger was read', async () => {
    const { ask, queue } = await createBench()
    await queue(11)
    await queue(12, { repository: 'acme/api' })
    const list = jobListSchema.parse(await (await ask('/v1/jobs')).json())
    expect(list.at).toBe('2026-01-02T03:04:05.000Z')
    expect(list.jobs.map(({ forgeJobId, state }) => [forgeJobId, state])).toEqual([
      [12, 'queued'],
      [11, 'queued'],
    ])
    expect(list.jobs[0]).toMatchObject({ waitingSince: list.at, waitingSinceSource: 'forge', outcome: null })
  })

  it('lists only the states, the repository and the number asked for', async () => {
    const { ask, queue } = await createBench()
    await queue(11)
    await queue(12, { repository: 'acme/api' })
    await queue(13, { repository: 'acme/api' })
    const idsOf = async (query: string) =>
      jobListSchema.parse(await (await ask(`/v1/jobs${query}`)).json()).jobs.map((job) => job.forgeJobId)
    expect(await idsOf('?repository=acme/api')).toEqual([13, 12])
    expect(await idsOf('?repository=acme/api&limit=1')).toEqual([13])
    expect(await idsOf('?state=running,lost')).toEqual([])
    expect(await idsOf('?state=queued,running')).toEqual([13, 12, 11])
  })

  it.each([
    ['?state=asleep', 'state'],
    ['?limit=0', 'limit'],
    ['?limit=9999', 'limit'],
    ['?limit=many', 'limit'],
    ['?colour=red', 'colour'],
    ['?limit=1&limit=2', 'limit: expected once, got several'],
  ])('refuses %s and says what is wrong', async (query, words) => {
    const { ask } = await createBench()
    const answer = await ask(`/v1/jobs${query}`)
    expect(answer.status).toBe(400)
    const { error } = (await answer.json()) as ErrorAnswer
    expect(error.code).toBe('E_REQUEST_INVALID')
    expect(error.message).toContain(words)
  })
})

describe('reach', () => {
  const held = { kind: 'runners-disabled', installation: 'contract', reason: 'they are disabled' } as const

  it('says of a queued job why no runner of ours can be given it, and what to do', async () => {
    const { ask, queue, ledger } = await createBench()
    await queue(11, { labels: ['self-hosted', 'gpu'] })
    await queue(12, { repository: 'acme/api' })
    await queue(13, { repository: 'other/web' })
    await queue(14)
    await ledger.raiseIncident({ ...held, scope: 'repository', key: 'acme/api' }, 60_000)
    await ledger.raiseIncident({ ...held, scope: 'account', key: 'other' }, 60_000)
    const { jobs } = jobListSchema.parse(await (await ask('/v1/jobs')).json())
    expect(jobs.map(({ forgeJobId, state, reach }) => [forgeJobId, state, reach?.kind ?? null])).toEqual([
      [14, 'queued', null],
      [13, 'queued', 'runners-disabled'],
      [12, 'queued', 'runners-disabled'],
      [11, 'queued', 'label-without-pool'],
    ])
    expect(jobs[2]?.reach).toEqual({
      kind: 'runners-disabled',
      sentence:
        'Self-hosted runners are disabled at the level of the repository. The forge says: they are disabled',
      todo: expect.stringContaining('forge.scope'),
    })
    const file = jobFileSchema.parse(await (await ask('/v1/jobs/contract:12')).json())
    expect(file.job.reach).toEqual(jobs[2]?.reach)
    const why = whySchema.parse(await (await ask('/v1/jobs/contract:12/why')).json())
    expect(why).toMatchObject({
      reason: 'unreachable',
      sentence: file.job.reach?.sentence,
      reach: jobs[2]?.reach,
    })
  })

  it('is given back when the incident is over', async () => {
    const { ask, queue, ledger } = await createBench()
    await queue(11)
    const incident = { ...held, scope: 'repository', key: 'acme/web' } as const
    await ledger.raiseIncident(incident, 60_000)
    await ledger.liftIncident(incident)
    expect(await (await ask('/v1/jobs/1')).json()).toMatchObject({ job: { reach: null } })
  })

  it('filters lists, however many are in reach before', async () => {
    const { ask, queue } = await createBench()
    await queue(10, { labels: ['self-hosted', 'gpu'] })
    await queue(11, { labels: ['self-hosted', 'gpu'], repository: 'acme/api' })
    for (let forgeJobId = 12; forgeJobId < 80; forgeJobId += 1) await queue(forgeJobId)
    const idsOf = async (query: string) =>
      jobListSchema.parse(await (await ask(`/v1/jobs${query}`)).json()).jobs.map((job) => job.forgeJobId)
    expect(await idsOf('?unreachable=true')).toEqual([11, 10])
    expect(await idsOf('?unreachable=true&limit=1')).toEqual([11])
    expect(await idsOf('?unreachable=true&repository=acme/web')).toEqual([10])
    expect(await idsOf('?unreachable=true&state=running')).toEqual([])
    expect((await ask('/v1/jobs?unreachable=perhaps')).status).toBe(400)
  })
})

describe('GET /v1/jobs/:job', () => {
  it('gives the whole file by our number and by the name that the forge has for it', async () => {
    const { ask, queue } = await createBench()
    const id = await queue(11)
    const ours = jobFileSchema.parse(await (await ask(`/v1/jobs/${id}`)).json())
    expect(ours).toMatchObject({ job: { id, repository: 'acme/web' }, attempts: [], archived: false })
    expect(ours.timeline.map(({ sentence }) => sentence)).toEqual([
      'First seen: the forge says queued; pool linux serves it.',
    ])
    expect(await (await ask('/v1/jobs/contract:11')).json()).toEqual(ours)
  })

  it('shows how the runner died, without JIT, handles, hashes and secrets', async () => {
    const { ask, queue, enrol, post, ledger } = await createBench()
    const id = await queue(11)
    const secret = await enrol('linux-1')
    const { attempt } = (await (await post('/v1/dispatch', secret, { runner: 'linux-1' })).json()) as {
      attempt: string
    }
    const runner = await ledger.findRunner('linux-1')
    const death = classifyDeath(ending)
    await ledger.sealDeath(runner?.id ?? 0, death, death.class, cause)
    await ledger.recordDecision({
      rule: 'running-without-runner',
      jobId: id,
      attemptId: 1,
      runnerId: runner?.id ?? null,
      facts: { attempt: { handle: attempt } },
      actions: [{ kind: 'mark-registered', handle: attempt }],
    })
    const text = await (await ask(`/v1/jobs/${id}`)).text()
    const file = jobFileSchema.parse(JSON.parse(text))
    expect(file.death).toMatchObject({ class: 'sigkill-unknown', signal: 'SIGKILL' })
    expect(file.decisions[0]).toMatchObject({ actions: [{ kind: 'mark-registered' }] })
    expect(file.decisions[0]?.why).toContain('its death is on record')
    expect(file.evidence[0]?.record).toMatchObject({ ending: { samples: ending.samples } })
    const runners = await (await ask('/v1/runners')).text()
    for (const hidden of [attempt, 'jit-of-', runner?.identityHash ?? '', secret, 'ghp_abc']) {
      expect(text + runners).not.toContain(hidden)
    }
  })

  it.each(['7', 'contract:99', 'elsewhere:11'])('says 404 for %s, which is not known', async (name) => {
    const { ask, queue } = await createBench()
    await queue(11)
    const answer = await ask(`/v1/jobs/${name}`)
    expect(answer.status).toBe(404)
    expect(((await answer.json()) as ErrorAnswer).error.code).toBe('E_JOB_UNKNOWN')
  })

  it.each(['seven', '-1', '1.5', '1e3', 'a:b:1', '99999999999999999999'])(
    'says 400 for %s, which names no job',
    async (name) => {
      const { ask } = await createBench()
      expect((await ask(`/v1/jobs/${name}`)).status).toBe(400)
    },
  )
})

describe('GET /v1/jobs/:job/why', () => {
  it('names what keeps the pool of the job from getting runners going', async () => {
    const { ask, queue, ledger } = await createBench()
    const id = await queue(11)
    const pool = (await ledger.findJob('contract', 11))?.pool ?? ''
    const reason = 'QuotaExceeded: exceeded quota: pods. Raise the quota of the namespace.'
    const problem = {
      kind: 'runners-not-starting',
      installation: 'contract',
      scope: 'runners',
      reason,
    } as const
    await ledger.raiseIncident({ ...problem, key: 'another' }, 0)
    const why = async () => whySchema.parse(await (await ask(`/v1/jobs/${id}/why`)).json())
    expect((await why()).reason).not.toBe('pool-problem')
    await ledger.raiseIncident({ ...problem, key: pool }, 0)
    expect(await why()).toMatchObject({
      reason: 'pool-problem',
      sentence: expect.stringContaining(`${pool} gets no runners going: ${reason}`),
    })
  })

  it('says why a job waits, with the facts', async () => {
    const { ask, queue } = await createBench()
    const id = await queue(11, { labels: ['self-hosted', 'gpu'] })
    const why = whySchema.parse(await (await ask(`/v1/jobs/${id}/why`)).json())
    expect(why).toMatchObject({
      job: id,
      reason: 'label-without-pool',
      sentence: 'No pool serves its labels (self-hosted, gpu).',
    })
  })

  it('says 404 for a job that is not known', async () => {
    const { ask } = await createBench()
    expect((await ask('/v1/jobs/7/why')).status).toBe(404)
  })
})

describe('POST /v1/jobs/:job/release', () => {
  it('lifts a quarantine for a client with the token', async () => {
    const bench = await createBench()
    const id = await quarantined(bench)
    const answer = await bench.ask(`/v1/jobs/${id}/release`, { method: 'POST', headers: bearer })
    expect([answer.status, await answer.json()]).toEqual([200, { released: true, job: id }])
    expect(bench.ledger.rows.jobs.get(id)?.quarantine).toBeNull()
  })

  it('does not without the token, also on a loopback address', async () => {
    const bench = await createBench()
    const id = await quarantined(bench)
    const answer = await bench.ask(`/v1/jobs/${id}/release`, { method: 'POST' })
    expect(answer.status).toBe(401)
    expect(bench.ledger.rows.jobs.get(id)?.quarantine).not.toBeNull()
  })

  it('says 409 where there is nothing to release, and 404 where there is no job', async () => {
    const { ask, queue } = await createBench()
    const id = await queue(11)
    const refused = await ask(`/v1/jobs/${id}/release`, { method: 'POST', headers: bearer })
    expect([refused.status, ((await refused.json()) as ErrorAnswer).error.message]).toEqual([
      409,
      'Job 1 is not quarantined (it is queued): there is nothing to release.',
    ])
    expect((await ask('/v1/jobs/9/release', { method: 'POST', headers: bearer })).status).toBe(404)
  })
})

describe('GET /v1/runners', () => {
  it('lists live runners with their job, and so many that ended', async () => {
    const { ask, queue, enrol, post, ledger } = await createBench()
    const id = await queue(11)
    await post('/v1/dispatch', await enrol('linux-1'), { runner: 'linux-1' })
    await enrol('linux-2')
    const gone = await ledger.findRunner('linux-2')
    await ledger.sealDeath(gone?.id ?? 0, classifyDeath(ending), 'sigkill-unknown', cause)
    const namesOf = async (query: string) =>
      runnerListSchema
        .parse(await (await ask(`/v1/runners${query}`)).json())
        .runners.map(({ name, state, jobId, reason }) => [name, state, jobId, reason])
    expect(await namesOf('')).toEqual([
      ['linux-1', 'claimed', id, null],
      ['linux-2', 'ended', null, 'sigkill-unknown'],
    ])
    expect(await namesOf('?ended=0')).toEqual([['linux-1', 'claimed', id, null]])
    expect((await ask('/v1/runners?ended=-1')).status).toBe(400)
  })
})

async function quarantined({ ledger, queue, enrol }: Awaited<ReturnType<typeof createBench>>) {
  const id = await queue(11)
  await enrol('linux-1')
  const runner = (await ledger.findRunner('linux-1')) as Runner
  await ledger.polled(runner.id)
  const handle = '11111111-1111-4111-8111-111111111111'
  await ledger.claim(runner, handle, 60_000)
  await ledger.mintFailed(handle, {
    reason: 'no',
    concerns: 'job',
    delayMs: 0,
    failuresMax: 1,
    incident: null,
  })
  expect((await ledger.applyJobEvent(jobEventOf(11), cause)).kind).toBe('nothing')
  return id
}
