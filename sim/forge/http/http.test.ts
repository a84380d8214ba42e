import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGitHubWebhooks } from '../../../src/adapters/github/index.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { machineClock, machineEntropy } from '../machine.ts'
import {
  type ForgeCalls,
  forgeCalls,
  plainJob,
  silentLog,
  startReceiver,
  token,
  webhookSecret,
} from '../testing/kit.ts'
import { type SimulatedForge, startSimulatedForge } from './index.ts'

const runners = '/repos/acme/shop/actions/runners'
let folder: TemporaryFolder
let forge: SimulatedForge
let calls: ForgeCalls
let awayMs = 0

beforeEach(async () => {
  awayMs = 0
  folder = await temporaryFolder()
  forge = await startForge()
  calls = forgeCalls(forge.url)
})
afterEach(async () => {
  await forge.close()
  await folder[Symbol.asyncDispose]()
})

describe("the simulated forge's API", () => {
  it('rejects requests without the token, with the error text of GitHub', async () => {
    expect(await calls.send('GET', runners, undefined, 'wrong')).toMatchObject({
      status: 401,
      body: { message: 'Bad credentials', status: '401' },
    })
    expect((await fetch(`${forge.url}/_sim/truth`)).status).toBe(401)
  })

  it('mints a runner and shows it as offline until it connects', async () => {
    await calls.submit()
    const order = { name: 'r-1', runner_group_id: 1, labels: ['linux'] }
    const minted = await calls.send('POST', `${runners}/generate-jitconfig`, order)
    expect(minted).toMatchObject({
      status: 201,
      body: { runner: { name: 'r-1', status: 'offline', busy: false, labels: [{ name: 'linux' }] } },
    })
    expect((await calls.send('POST', `${runners}/generate-jitconfig`, order)).status).toBe(409)
    const session = await calls.connect(minted.body.encoded_jit_config, 'program')
    expect(session.status).toBe(200)
    expect((await calls.send('GET', `${runners}?name=r-1`)).body).toMatchObject({
      total_count: 1,
      runners: [{ status: 'online', busy: false }],
    })
    expect((await calls.send('GET', `${runners}?name=r-2`)).body).toEqual({ total_count: 0, runners: [] })
  })

  it('lists runs by status, page by page, and the jobs of each', async () => {
    for (const name of ['one', 'two', 'three']) await calls.submit({ name })
    const path = '/repos/acme/shop/actions/runs?status=queued&per_page=2'
    const first = await calls.send('GET', path)
    const second = await calls.send('GET', `${path}&page=2`)
    expect(first.body.total_count).toBe(3)
    expect([first, second].map(({ body }) => body.workflow_runs.length)).toEqual([2, 1])
    const oldest = second.body.workflow_runs[0]
    const jobs = await calls.send('GET', `/repos/acme/shop/actions/runs/${oldest.id}/jobs`)
    expect(jobs.body).toMatchObject({ total_count: 1, jobs: [{ name: 'one', status: 'queued' }] })
    const inProgress = await calls.send('GET', '/repos/acme/shop/actions/runs?status=in_progress')
    expect(inProgress.body).toEqual({ total_count: 0, workflow_runs: [] })
  })

  it('answers 404 for an id that does not exist and for one of another repository', async () => {
    const id = await calls.submit()
    await calls.submit({ repository: 'acme/other' })
    for (const path of [
      '/repos/acme/none/actions/runners',
      '/repos/acme/none',
      `/repos/acme/other/actions/jobs/${id}`,
      '/repos/acme/shop/actions/jobs/abc',
      `${runners}/99`,
      '/nothing',
    ]) {
      expect([path, (await calls.send('GET', path)).status]).toEqual([path, 404])
    }
    expect((await calls.send('GET', `/repos/acme/shop/actions/jobs/${id}`)).status).toBe(200)
  })

  it('names the error in a bad request, and changes nothing', async () => {
    const submit = (body: unknown) => calls.send('POST', '/_sim/jobs', body)
    expect(await submit('{')).toMatchObject({ status: 400, body: { message: 'Problems parsing JSON' } })
    expect(await submit({ ...plainJob, labels: [''] })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'labels.0' }] },
    })
    expect(await submit({ ...plainJob, repository: 'no-slash' })).toMatchObject({ status: 422 })
    expect(await submit({ ...plainJob, surprise: 1 })).toMatchObject({ status: 422 })
    expect((await submit({ ...plainJob, script: 'x'.repeat(2 * 1024 * 1024) })).status).toBe(413)
    expect((await calls.truth()).jobs).toEqual([])
  })
})

describe("the runner's side", () => {
  it('holds a question open until a job comes', async () => {
    await calls.send('POST', '/_sim/repositories', { repository: 'acme/shop' })
    const { jit } = await calls.mint('r-1')
    const { session } = (await calls.connect(jit, 'program')).body
    const asked = calls.send('GET', '/_runner/job', undefined, session)
    const id = await calls.submit()
    expect(await asked).toMatchObject({ status: 200, body: { id, script: plainJob.script } })
  })

  it('gives no job to a runner that has hung up', async () => {
    await calls.send('POST', '/_sim/repositories', { repository: 'acme/shop' })
    const { jit } = await calls.mint('r-1')
    const { session } = (await calls.connect(jit, 'program')).body
    const hangUp = new AbortController()
    const asked = fetch(`${forge.url}/_runner/job`, {
      headers: { authorization: `Bearer ${session}` },
      signal: hangUp.signal,
    })
    // Another round trip, so that the question has reached the forge.
    await calls.truth()
    hangUp.abort()
    await expect(asked).rejects.toThrow()
    await calls.truth()
    const id = await calls.submit()
    expect((await calls.truth()).jobs.find((job) => job.id === id)?.starts).toEqual([])
  })

  it('refuses a second program with the same configuration', async () => {
    await calls.submit()
    const { jit } = await calls.mint('r-1')
    expect((await calls.connect(jit, 'one')).status).toBe(200)
    expect((await calls.connect(jit, 'two')).status).toBe(409)
    expect((await calls.truth()).overlaps).toHaveLength(1)
  })

  it('does not remove a busy runner, and removes it from the list after its job', async () => {
    const id = await calls.submit()
    const { jit, id: runnerId } = await calls.mint('r-1')
    const { session } = (await calls.connect(jit, 'one')).body
    await calls.send('GET', '/_runner/job', undefined, session)
    expect((await calls.send('DELETE', `${runners}/${runnerId}`)).status).toBe(422)
    const report = { conclusion: 'success' }
    const done = await calls.send('POST', `/_runner/jobs/${id}/complete`, report, session)
    expect(done.status).toBe(200)
    expect((await calls.send('DELETE', `${runners}/${runnerId}`)).status).toBe(404)
  })

  it('accepts the log of a job from its own runner, and from no other caller', async () => {
    const id = await calls.submit()
    const { jit } = await calls.mint('r-1')
    const { session } = (await calls.connect(jit, 'one')).body
    await calls.send('GET', '/_runner/job', undefined, session)
    expect((await calls.send('POST', `/_runner/jobs/${id}/log`, 'a line\n', session)).status).toBe(204)
    expect((await calls.send('POST', `/_runner/jobs/${id}/log`, 'a lie\n', 'x')).status).toBe(409)
    expect((await calls.send('GET', `/_sim/jobs/${id}/log`)).body).toBe('a line\n')
  })
})

describe('webhooks of the simulated forge', () => {
  it('come signed with the secret, in the form that the adapter accepts', async () => {
    const receiver = untilTestEnds(await startReceiver())
    forge.sendWebhooksTo(receiver.url)
    const id = await calls.submit()
    await receiver.count(1)
    const [delivery] = receiver.received
    if (delivery === undefined) throw new Error('nothing was received')
    const webhooks = createGitHubWebhooks({ installation: 'sim', secrets: () => [webhookSecret] })
    const verified = webhooks.verify(delivery)
    expect(verified).toMatchObject({ kind: 'genuine', event: 'workflow_job' })
    expect(webhooks.parse('workflow_job', delivery.body.toString())).toMatchObject({
      kind: 'job-event',
      jobEvent: { status: 'queued', job: { forgeJobId: id, repository: 'acme/shop', installation: 'sim' } },
    })
    const strangers = createGitHubWebhooks({ installation: 'sim', secrets: () => ['another'] })
    expect(strangers.verify(delivery).kind).toBe('refused')
  })

  it('are not repeated when they fail, and the failed ones are listed', async () => {
    const receiver = untilTestEnds(await startReceiver(500))
    forge.sendWebhooksTo(receiver.url)
    const ids = [await calls.submit(), await calls.submit()]
    await receiver.count(2)
    await expect
      .poll(async () => (await calls.send('GET', '/_sim/deliveries')).body.failed, { timeout: 10_000 })
      .toHaveLength(2)
    const { failed } = (await calls.send('GET', '/_sim/deliveries')).body
    expect(failed.map((each: { jobId: number }) => each.jobId).sort()).toEqual(ids)
    expect(failed[0]).toMatchObject({ status: 500, action: 'queued' })
    expect(receiver.received).toHaveLength(2)
  })

  it('are lost when that is ordered, and only so many', async () => {
    const receiver = untilTestEnds(await startReceiver())
    forge.sendWebhooksTo(receiver.url)
    await calls.send('POST', '/_sim/faults', { dropWebhooks: 1 })
    const lost = await calls.submit()
    const kept = await calls.submit()
    await receiver.count(1)
    expect(JSON.parse(String(receiver.received[0]?.body)).workflow_job.id).toBe(kept)
    await expect
      .poll(async () => (await calls.send('GET', '/_sim/deliveries')).body.failed, { timeout: 10_000 })
      .toMatchObject([{ jobId: lost, why: 'lost by a fault that was ordered' }])
  })
})

describe('a forge that is closed and started again', () => {
  it('goes on where it was, with the same runners, jobs and sessions', async () => {
    const id = await calls.submit()
    const { jit } = await calls.mint('r-1')
    const { session } = (await calls.connect(jit, 'one')).body
    await calls.send('GET', '/_runner/job', undefined, session)
    const before = await calls.truth()
    await forge.close()
    // The forge was away for longer than it would wait for a silent runner.
    awayMs = 3_600_000
    forge = await startForge(forge.port)
    expect(await calls.truth()).toEqual(before)
    expect((await calls.send('POST', `/_runner/jobs/${id}/renew`, undefined, session)).status).toBe(200)
    const next = await calls.submit()
    expect(next).toBe(id + 1)
  })
})

function startForge(port = 0): Promise<SimulatedForge> {
  return startSimulatedForge({
    folder: folder.path,
    port,
    token,
    webhookUrl: null,
    webhookSecret,
    clock: { ...machineClock, now: () => machineClock.now() + awayMs },
    entropy: machineEntropy,
    log: silentLog,
  })
}
