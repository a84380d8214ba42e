import { verify } from '@octokit/webhooks-methods'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Received, startReceiver, webhookSecret } from '../../../sim/forge/testing/kit.ts'
import { createGitHubWebhooks } from '../../../src/adapters/github/index.ts'
import { untilTestEnds } from '../../support/until-test-ends.ts'
import { createWebhookJudge, webhooks } from './description.ts'
import { appId, type ContractForge, hook, installation, startContractForge } from './forge.ts'

const judge = createWebhookJudge()
const ours = createGitHubWebhooks({ installation: 'gh', secrets: () => [webhookSecret] })

describe("GitHub's published examples", () => {
  it('are there for every action of a job', () => {
    const actions = new Set(webhooks.examples.workflow_job?.map((example) => example.action))
    expect([...actions].sort()).toEqual(['completed', 'in_progress', 'queued', 'waiting'])
  })

  for (const [index, example] of (webhooks.examples.workflow_job ?? []).entries()) {
    it(`are understood by our parser: workflow_job ${example.action}, number ${index + 1}`, () => {
      const job = example.workflow_job as Record<string, unknown>
      const repository = example.repository as Record<string, unknown>
      const parsed = ours.parse('workflow_job', JSON.stringify(example))
      return expect(parsed).toMatchObject({
        kind: 'job-event',
        jobEvent: {
          job: {
            installation: 'gh',
            forgeJobId: job.id,
            runId: job.run_id,
            repository: repository.full_name,
            labels: job.labels,
          },
          ...(example.action === 'waiting'
            ? { status: 'queued', waitsForApproval: true }
            : { status: example.action }),
          conclusion: job.conclusion,
        },
      })
    })
  }

  for (const [event, examples] of Object.entries(webhooks.examples)) {
    if (event === 'workflow_job' || event === 'ping') continue
    it(`of other events are ignored, never malformed: ${event}`, () => {
      for (const example of examples) {
        expect(ours.parse(event, JSON.stringify(example))).toMatchObject({ kind: 'ignored' })
      }
    })
  }

  it('would be judged invalid if a needed part were missing or wrong', () => {
    const [example] = webhooks.examples.workflow_job?.filter(({ action }) => action === 'queued') ?? []
    const job = example?.workflow_job as Record<string, unknown>
    const broken = { ...example, workflow_job: { ...job, id: 'x', run_id: undefined } }
    const problems = judge('workflow_job', JSON.parse(JSON.stringify(broken)), false).join('\n')
    expect(problems).toContain('/workflow_job/id: must be integer')
    expect(problems).toContain('run_id')
  })
})

describe("the simulated forge's messages", () => {
  let forge: ContractForge
  beforeEach(async () => {
    forge = await startContractForge()
  })
  afterEach(() => forge[Symbol.asyncDispose]())

  it('are as published through the whole life of a job, with success, failure or cancelled', async () => {
    const received = await livesOfJobs(forge)
    const seen = received.map(({ headers, body }) => {
      const payload = payloadOf({ headers, body })
      expect(judge(String(headers['x-github-event']), payload, true)).toEqual([])
      return `${payload.action} ${(payload.workflow_job as { conclusion: unknown }).conclusion}`
    })
    expect(seen.sort()).toEqual([
      ...['completed cancelled', 'completed failure', 'completed success'],
      ...['in_progress null', 'in_progress null', 'queued null', 'queued null', 'queued null'],
    ])
  })

  it('are as published also for jobs that are skipped, and for those of a second attempt', async () => {
    const receiver = untilTestEnds(await startReceiver())
    forge.server.sendWebhooksTo(receiver.url)
    const build = { name: 'build', labels: ['linux'], script: '' }
    const jobs = [build, { ...build, name: 'deploy', needs: ['build'] }]
    const { body } = await forge.calls.send('POST', '/_sim/runs', { repository: 'acme/shop', jobs })
    const path = `/repos/acme/shop/actions/runs/${body.run_id}`
    await forge.calls.send('POST', `${path}/cancel`)
    await forge.calls.send('POST', `${path}/rerun`)
    await receiver.count(4)
    const events = receiver.received.map((each) => {
      expect(judge('workflow_job', payloadOf(each), true)).toEqual([])
      expect(ours.parse('workflow_job', each.body.toString()).kind).toBe('job-event')
      const job = payloadOf(each).workflow_job as Record<string, unknown>
      return `${job.name} ${job.run_attempt} ${job.conclusion ?? job.status}`
    })
    expect(events.sort()).toEqual([
      'build 1 cancelled',
      'build 1 queued',
      'build 2 queued',
      'deploy 1 skipped',
    ])
  })

  it('are as published for a job that waits for an approval: queued, waiting, and queued once more', async () => {
    const receiver = untilTestEnds(await startReceiver())
    forge.server.sendWebhooksTo(receiver.url)
    const order = { repository: 'acme/shop', name: 'deploy', labels: ['linux'], script: '' }
    const { body } = await forge.calls.send('POST', '/_sim/jobs', { ...order, environment: 'production' })
    await receiver.count(2)
    const path = `/repos/acme/shop/actions/runs/${body.run_id}/pending_deployments`
    const [pending] = (await forge.calls.send('GET', path)).body
    const review = { environment_ids: [pending.environment.id], state: 'approved', comment: '' }
    await forge.calls.send('POST', path, review)
    await receiver.count(3)
    const events = receiver.received.map((each) => {
      const payload = payloadOf(each)
      expect(judge('workflow_job', payload, true)).toEqual([])
      return `${payload.action} ${(payload.workflow_job as { status: unknown }).status}`
    })
    expect(events.slice(0, 2).sort()).toEqual(['queued waiting', 'waiting waiting'])
    expect(events[2]).toBe('queued queued')
  })

  it('would be judged different if they had a name that GitHub does not know, at any depth', async () => {
    const [received] = (await livesOfJobs(forge)) as [Received]
    const payload = payloadOf(received)
    const repository = payload.repository as { owner: object }
    const other = { ...payload, repository: { ...repository, owner: { ...repository.owner, color: 'red' } } }
    expect(judge('workflow_job', other, true).join()).toContain('"unevaluatedProperty":"color"')
    expect(judge('workflow_job', { ...payload, extra: 1 }, true).join()).toContain('extra')
  })

  it('are as published also about a run, where the hook wants them: each attempt from its request to its end', async () => {
    const receiver = untilTestEnds(await startReceiver())
    forge.server.sendWebhooksTo(receiver.url)
    await forge.calls.send('POST', '/_sim/hook', { events: ['workflow_job', 'workflow_run'] })
    const id = await forge.calls.submit()
    await receiver.count(1)
    const { session } = (await forge.calls.connect((await forge.calls.mint('r-1')).jit, 'program')).body
    await forge.calls.send('GET', '/_runner/job', undefined, session)
    await receiver.count(3)
    await forge.calls.send('POST', `/_runner/jobs/${id}/complete`, { conclusion: 'failure' }, session)
    await receiver.count(5)
    await forge.calls.send('POST', `/repos/acme/shop/actions/jobs/${id}/rerun`)
    await receiver.count(7)
    const runs = receiver.received.filter(({ headers }) => headers['x-github-event'] === 'workflow_run')
    const events = runs.map((each) => {
      const problems = judge('workflow_run', payloadOf(each), true)
      expect(problems.filter((why) => !sentUndescribed.test(why))).toEqual([])
      expect(ours.parse('workflow_run', each.body.toString()).kind).toBe('ignored')
      const { action, workflow_run: run } = payloadOf(each) as Record<string, Record<string, unknown>>
      return [action, run?.status, run?.conclusion, run?.run_attempt].join(' ')
    })
    expect(events).toEqual([
      'requested queued  1',
      'in_progress in_progress  1',
      'completed completed failure 1',
      'requested queued  2',
    ])
  })

  it('are as published also about the installation: made, suspended, unsuspended, changed, removed', async () => {
    const receiver = untilTestEnds(await startReceiver())
    forge.server.sendWebhooksTo(receiver.url)
    const decide = (path: string, body: object) => forge.calls.send('POST', `/_sim/${path}`, body)
    await decide('repositories', { repository: 'acme/shop' })
    const { id } = (await decide('installations', { account: 'acme' })).body
    await decide('installation', { suspended: true, id })
    await decide('installation', { suspended: false, id })
    await decide('refusals', { what: 'not-in-installation', of: 'acme/shop' })
    await forge.calls.send('DELETE', '/_sim/refusals')
    await forge.calls.send('DELETE', `/_sim/installations/${id}`)
    await receiver.count(7)
    const events = receiver.received.map((each) => {
      const event = String(each.headers['x-github-event'])
      expect([event, judge(event, payloadOf(each), true)]).toEqual([event, []])
      return `${event} ${payloadOf(each).action}`
    })
    expect(events.sort()).toEqual([
      ...['installation created', 'installation deleted', 'installation deleted', 'installation suspend'],
      ...['installation unsuspend', 'installation_repositories added', 'installation_repositories removed'],
    ])
  })

  it('are of no event that the hook does not want', async () => {
    const receiver = untilTestEnds(await startReceiver())
    forge.server.sendWebhooksTo(receiver.url)
    await forge.calls.send('POST', '/_sim/hook', { events: [] })
    await forge.calls.submit()
    await forge.calls.send('POST', '/_sim/ping')
    await receiver.count(1)
    expect(receiver.received.map(({ headers }) => headers['x-github-event'])).toEqual(['ping'])
  })

  it('name the installation through which they come, and no organisation where the owner is a person', async () => {
    const receiver = untilTestEnds(await startReceiver())
    forge.server.sendWebhooksTo(receiver.url)
    await forge.calls.send('POST', '/_sim/owners', { login: 'ada', type: 'User' })
    await forge.calls.submit({ repository: 'ada/notes' })
    await forge.calls.submit()
    await receiver.count(2)
    const [personal, common] = receiver.received
      .map(payloadOf)
      .toSorted((a) => (a.organization === undefined ? -1 : 1))
    expect(judge('workflow_job', personal ?? {}, true)).toEqual([])
    expect(personal).toMatchObject({ repository: { owner: { login: 'ada', type: 'User' } } })
    expect(common).toMatchObject({ organization: { login: 'acme' }, installation: { id: installation } })
  })

  it("bear GitHub's headers, and the App as whose hook they come", async () => {
    const [{ headers }] = (await livesOfJobs(forge)) as [Received]
    for (const name of webhooks.headers) expect([name, headers[name.toLowerCase()]]).not.toContain(undefined)
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^GitHub-Hookshot\/[0-9a-f]{7}$/),
      'x-github-delivery': expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      'x-github-event': 'workflow_job',
      'x-github-hook-id': String(hook),
      'x-github-hook-installation-target-type': 'integration',
      'x-github-hook-installation-target-id': String(appId),
    })
  })

  it("are signed as octokit's stock library and our own want it", async () => {
    for (const { headers, body } of await livesOfJobs(forge)) {
      const signature = String(headers['x-hub-signature-256'])
      expect(await verify(webhookSecret, body.toString(), signature)).toBe(true)
      expect(await verify('another', body.toString(), signature)).toBe(false)
      expect(ours.verify({ headers, body }).kind).toBe('genuine')
    }
  })

  it('begin with a ping where somebody asks for one', async () => {
    const receiver = untilTestEnds(await startReceiver())
    forge.server.sendWebhooksTo(receiver.url)
    expect((await forge.calls.send('POST', '/_sim/ping')).status).toBe(202)
    await receiver.count(1)
    const [ping] = receiver.received as [Received]
    expect(ping.headers['x-github-event']).toBe('ping')
    expect(judge('ping', payloadOf(ping), true)).toEqual([])
    expect(payloadOf(ping)).toMatchObject({ hook_id: hook, hook: { type: 'App', app_id: appId } })
    expect(ours.parse('ping', ping.body.toString()).kind).toBe('ping')
  })
})

it('a hook that is no App’s says which repository it belongs to, and pings for it', async () => {
  const forge = untilTestEnds(await startContractForge({ hasApp: false }))
  const receiver = untilTestEnds(await startReceiver())
  forge.server.sendWebhooksTo(receiver.url)
  await forge.calls.submit()
  const pings = `/repos/acme/shop/hooks/${hook}/pings`
  expect((await forge.calls.send('POST', pings)).status).toBe(204)
  await receiver.count(2)
  const [job, ping] = receiver.received.toSorted((a, b) => order(a) - order(b)) as [Received, Received]
  const repository = payloadOf(job).repository as { id: number }
  expect(job.headers).toMatchObject({
    'x-github-hook-installation-target-type': 'repository',
    'x-github-hook-installation-target-id': String(repository.id),
  })
  expect(judge('ping', payloadOf(ping), true)).toEqual([])
  expect(payloadOf(job).installation).toBeUndefined()
  expect(payloadOf(ping)).toMatchObject({ hook: { type: 'Repository' }, repository: { id: repository.id } })
})

/** GitHub sends these with a run; its schemas of some actions do not know them yet. */
const sentUndescribed = /"unevaluatedProperty":"(user_view_type|display_title)"/

/** One job that succeeds, one that is cancelled while queued, one whose runner fails it. */
async function livesOfJobs({ server, calls }: ContractForge): Promise<readonly Received[]> {
  const receiver = untilTestEnds(await startReceiver())
  server.sendWebhooksTo(receiver.url)
  for (const conclusion of ['success', 'failure']) {
    const id = await calls.submit({ name: conclusion })
    const { session } = (await calls.connect((await calls.mint(`r-${conclusion}`)).jit, conclusion)).body
    await calls.send('GET', '/_runner/job', undefined, session)
    await calls.send('POST', `/_runner/jobs/${id}/complete`, { conclusion }, session)
  }
  const cancelled = await calls.submit({ name: 'cancelled' })
  await calls.send('POST', `/_sim/jobs/${cancelled}/cancel`)
  await receiver.count(8)
  return receiver.received
}

function payloadOf({ body }: Received): Record<string, unknown> {
  return JSON.parse(body.toString())
}

function order({ headers }: Received): number {
  return headers['x-github-event'] === 'ping' ? 1 : 0
}
