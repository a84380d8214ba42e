import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { plainJob, startReceiver, token } from '../../../sim/forge/testing/kit.ts'
import { clock } from '../../support/machine.ts'
import { untilTestEnds } from '../../support/until-test-ends.ts'
import { assertion } from './assertion.ts'
import { rest } from './description.ts'
import { type ContractForge, hook, startContractForge } from './forge.ts'
import { describeAccounts } from './suites/accounts.ts'
import { describeApp } from './suites/app.ts'
import type { Bench } from './suites/bench.ts'
import { describeDetails } from './suites/details.ts'
import { describePeople } from './suites/people.ts'
import { describeUnkind } from './suites/unkind.ts'
import { type Watch, watchCalls } from './watch.ts'

const repo = '/repos/acme/shop'
const threeJobs = [
  { name: 'build', labels: ['linux'], script: '' },
  { name: 'lint', labels: ['linux'], script: '' },
  { name: 'deploy', labels: ['linux'], script: '', needs: ['build'] },
]
let forge: ContractForge
let watch: Watch
let routes: readonly string[] = []
let awayMs = 0
const bench: Bench = {
  forge: () => forge,
  get: (path, bearer) => forge.calls.send('GET', path, undefined, bearer),
  status: (...call) => status(...call),
  goOn: (ms) => {
    awayMs = ms
  },
}

beforeAll(() => {
  watch = watchCalls(() => new URL(forge.server.url).origin)
})
beforeEach(async () => {
  awayMs = 0
  forge = await startContractForge({ awayMs: () => awayMs })
  routes = forge.server.routes
})
afterEach(async () => {
  await forge[Symbol.asyncDispose]()
  expect(watch.takeDifferences()).toEqual([])
})
afterAll(() => watch[Symbol.dispose]())

describe("every answer of the simulated forge is as GitHub's description says", () => {
  it('about runners: minted, listed, read, removed', async () => {
    await forge.calls.submit()
    const runners = `${repo}/actions/runners`
    const order = { name: 'r-1', runner_group_id: 1, labels: ['linux'], work_folder: '_work' }
    expect(await status('POST', `${runners}/generate-jitconfig`, order)).toBe(201)
    expect(await status('POST', `${runners}/generate-jitconfig`, order)).toBe(409)
    expect(await status('POST', '/repos/acme/none/actions/runners/generate-jitconfig', order)).toBe(404)
    const { body } = await get(runners)
    expect(await status('GET', `${runners}?name=r-1`)).toBe(200)
    expect(await status('GET', '/repos/acme/none/actions/runners')).toBe(404)
    expect(await status('GET', `${runners}/${body.runners[0].id}`)).toBe(200)
    expect(await status('GET', `${runners}/99`)).toBe(404)
    expect(await status('DELETE', `${runners}/${body.runners[0].id}`)).toBe(204)
    expect(await status('DELETE', `${runners}/${body.runners[0].id}`)).toBe(404)
  })

  it('about a busy runner, which is not removed', async () => {
    await forge.calls.submit()
    const { jit, id } = await forge.calls.mint('r-1')
    const { session } = (await forge.calls.connect(jit, 'program')).body
    await forge.calls.send('GET', '/_runner/job', undefined, session)
    expect((await get(`${repo}/actions/runners/${id}`)).body.busy).toBe(true)
    expect(await status('DELETE', `${repo}/actions/runners/${id}`)).toBe(422)
  })

  it('about repositories, runs and jobs in every state', async () => {
    const ids = [await started('success'), await started('failure'), await started(null)]
    ids.push(await forge.calls.submit())
    expect((await get('/user/repos')).body).toHaveLength(1)
    expect(await status('GET', '/rate_limit')).toBe(200)
    expect(await status('GET', repo)).toBe(200)
    expect(await status('GET', '/repos/acme/none')).toBe(404)
    for (const id of ids) expect(await status('GET', `${repo}/actions/jobs/${id}`)).toBe(200)
    expect(await status('GET', `${repo}/actions/jobs/1`)).toBe(404)
    for (const wanted of ['queued', 'in_progress', 'completed']) {
      const runs = (await get(`${repo}/actions/runs?status=${wanted}`)).body.workflow_runs
      expect([wanted, runs.length]).toEqual([wanted, wanted === 'completed' ? 2 : 1])
      expect(await status('GET', `${repo}/actions/runs/${runs[0].id}/jobs?filter=latest`)).toBe(200)
    }
    expect(await status('GET', '/repos/acme/none/actions/runs')).toBe(404)
    expect(await status('GET', `${repo}/actions/runs/1/jobs`)).toBe(404)
  })

  it('about a run that is cancelled, and run again as a whole, in part, or one job of it', async () => {
    const workflow = { repository: 'acme/shop', jobs: [...threeJobs] }
    const { run_id: run } = (await forge.calls.send('POST', '/_sim/runs', workflow)).body
    const path = `${repo}/actions/runs/${run}`
    expect((await get(path)).body).toMatchObject({ status: 'queued', run_attempt: 1 })
    for (const verb of ['rerun', 'rerun-failed-jobs']) {
      expect(await status('POST', `${path}/${verb}`)).toBe(403)
      expect(await status('POST', `${repo}/actions/runs/1/${verb}`)).toBe(404)
    }
    for (const verb of ['cancel', 'force-cancel']) {
      expect(await status('POST', `${path}/${verb}`)).toBe(202)
      expect(await status('POST', `${path}/${verb}`)).toBe(409)
      expect(await status('POST', `${path}/rerun`)).toBe(201)
    }
    expect(await status('POST', `${path}/cancel`)).toBe(202)
    expect(await status('POST', `${path}/rerun-failed-jobs`)).toBe(201)
    const { jobs } = (await get(`${path}/jobs`)).body
    expect(await status('POST', `${repo}/actions/jobs/${jobs[0].id}/rerun`)).toBe(403)
    expect(await status('POST', `${path}/cancel`)).toBe(202)
    expect(await status('POST', `${repo}/actions/jobs/${jobs[0].id}/rerun`)).toBe(201)
    expect(await status('POST', `${repo}/actions/jobs/1/rerun`)).toBe(404)
    expect((await get(path)).body).toMatchObject({ status: 'queued', run_attempt: 5 })
    expect((await get(`${path}/attempts/1`)).body).toMatchObject({ conclusion: 'cancelled', run_attempt: 1 })
    const first = (await get(`${path}/attempts/1/jobs`)).body.jobs
    expect(first.map((job: { conclusion: string }) => job.conclusion)).toEqual([
      'cancelled',
      'cancelled',
      'skipped',
    ])
    expect((await get(`${path}/jobs?filter=all`)).body.total_count).toBeGreaterThan(10)
    for (const missing of ['/attempts/9', '/attempts/9/jobs']) {
      expect(await status('GET', `${path}${missing}`)).toBe(404)
    }
    expect(await status('GET', `${repo}/actions/runs/1`)).toBe(404)
  })

  it('about a run that waits for its turn in its group', async () => {
    const workflow = { repository: 'acme/shop', jobs: [threeJobs[0]], concurrency: { group: 'one' } }
    const ids = [1, 2].map(async () => (await forge.calls.send('POST', '/_sim/runs', workflow)).body.run_id)
    const [, second] = await Promise.all(ids)
    const { body } = await get(`${repo}/actions/runs?status=pending`)
    expect(body.workflow_runs.map((run: { id: number }) => run.id)).toEqual([second])
    expect((await get(`${repo}/actions/runs/${second}/jobs`)).body).toEqual({ total_count: 0, jobs: [] })
  })

  it('about the log of a job, once that is over', async () => {
    const open = await started(null)
    expect(await status('GET', `${repo}/actions/jobs/${open}/logs`)).toBe(404)
    const id = await started('success', 'hello\n')
    const headers = { authorization: `Bearer ${token}` }
    const path = `${forge.server.url}${repo}/actions/jobs/${id}/logs`
    const answer = await fetch(path, { headers, redirect: 'manual' })
    const address = String(answer.headers.get('location'))
    expect(await (await fetch(address)).text()).toBe('hello\n')
    expect((await fetch(address.replace(String(id), String(open)))).status).toBe(404)
    awayMs = 120_000
    expect((await fetch(address)).status).toBe(403)
  })

  it('about runners of an organisation', async () => {
    await forge.calls.submit()
    const runners = '/orgs/acme/actions/runners'
    const order = { name: 'r-1', runner_group_id: 1, labels: ['linux', 'self-hosted'] }
    const minted = await forge.calls.send('POST', `${runners}/generate-jitconfig`, order)
    expect(minted.status).toBe(201)
    expect(await status('POST', `${runners}/generate-jitconfig`, order)).toBe(409)
    expect(await status('POST', `${runners}/generate-jitconfig`, { ...order, runner_group_id: 9 })).toBe(404)
    expect((await get(runners)).body.total_count).toBe(1)
    expect((await get(`${repo}/actions/runners`)).body.total_count).toBe(0)
    const { id } = minted.body.runner
    expect(await status('GET', `${runners}/${id}`)).toBe(200)
    expect(await status('GET', `${runners}/99`)).toBe(404)
    const { session } = (await forge.calls.connect(minted.body.encoded_jit_config, 'program')).body
    await forge.calls.send('GET', '/_runner/job', undefined, session)
    expect(await status('DELETE', `${runners}/${id}`)).toBe(422)
    const idle = await forge.calls.send('POST', `${runners}/generate-jitconfig`, { ...order, name: 'r-2' })
    expect(await status('DELETE', `${runners}/${idle.body.runner.id}`)).toBe(204)
    expect(await status('GET', '/orgs/nobody/actions/runners')).toBe(404)
    expect(await status('GET', '/orgs/acme/actions/runner-groups')).toBe(200)
    expect(await status('GET', '/orgs/nobody/actions/runner-groups')).toBe(404)
  })

  it('about the annotation of a job whose runner fell silent', async () => {
    const id = await started(null)
    awayMs = 3_600_000
    const { body } = await get(`${repo}/check-runs/${id}/annotations`)
    expect(body).toMatchObject([{ message: expect.stringContaining('lost communication with the server') }])
    expect(await status('GET', `${repo}/check-runs/1/annotations`)).toBe(404)
  })

  it('about hooks: deliveries in pages, one of them, and once more', async () => {
    const receiver = untilTestEnds(await startReceiver())
    forge.server.sendWebhooksTo(receiver.url)
    for (const name of ['one', 'two', 'three']) await forge.calls.submit({ name })
    await receiver.count(3)
    const appToken = assertion(clock.now())
    const deliveries = `${repo}/hooks/${hook}/deliveries`
    await expect.poll(async () => (await get(deliveries)).body.length).toBe(3)
    for (const [path, bearer] of [
      [deliveries, token],
      ['/app/hook/deliveries', appToken],
    ] as const) {
      const first = await forge.calls.send('GET', `${path}?per_page=2`, undefined, bearer)
      const next = /<([^>]+)>; rel="next"/
        .exec(first.headers.get('link') ?? '')?.[1]
        ?.split(forge.server.url)[1]
      const second = await forge.calls.send('GET', String(next), undefined, bearer)
      const total = (await forge.calls.send('GET', path, undefined, bearer)).body.length
      expect([first.body.length, second.body.length]).toEqual([2, total - 2])
      expect(second.headers.get('link')).toBeNull()
      const { id, guid } = second.body[0]
      expect(await status('GET', `${path}/${id}`, undefined, bearer)).toBe(200)
      expect(await status('GET', `${path}/1`, undefined, bearer)).toBe(404)
      expect(await status('GET', `${path}?cursor=x`, undefined, bearer)).toBe(400)
      const before = receiver.received.length
      expect(await status('POST', `${path}/${id}/attempts`, undefined, bearer)).toBe(202)
      expect(await status('POST', `${path}/1/attempts`, undefined, bearer)).toBe(404)
      await receiver.count(before + 1)
      expect(receiver.received.at(-1)?.headers['x-github-delivery']).toBe(guid)
    }
    expect(await status('GET', `${repo}/hooks`)).toBe(200)
    expect(await status('GET', '/repos/acme/none/hooks')).toBe(404)
    expect(await status('POST', `${repo}/hooks/${hook}/pings`)).toBe(204)
    expect(await status('POST', `${repo}/hooks/1/pings`)).toBe(404)
  })

  describeApp(bench)
  describeAccounts(bench)
  describePeople(bench)
  describeUnkind(bench)
  describeDetails(bench)
})

it('no path that the simulated forge serves was left out, neither its success nor its refusal', () => {
  const asked = new Map<string, Set<number>>()
  for (const { operation, status: code } of watch.calls) {
    if (operation !== null) asked.set(operation, (asked.get(operation) ?? new Set()).add(code))
  }
  expect(routes.length).toBeGreaterThan(20)
  for (const route of routes) {
    const operation = Object.keys(rest.operations).find((name) => shapeOf(name) === shapeOf(route))
    expect([route, operation]).not.toContain(undefined)
    const codes = [...(asked.get(operation as string) ?? [])]
    const isRefusable = !cannotFail.has(operation as string)
    expect([route, codes.some((code) => code < 400)]).toEqual([route, true])
    expect([route, codes.some((code) => code >= 400 && code !== 401)]).toEqual([route, isRefusable])
  }
})

/** Calls that name no object: every authorized caller gets an answer. */
const cannotFail = new Set([
  ...['GET /app', 'GET /app/installations', 'GET /rate_limit'],
  ...['GET /app/hook/config', 'PATCH /app/hook/config'],
])

function shapeOf(route: string): string {
  return route.replaceAll(/:\w+|\{\w+\}/g, '*')
}

const get = (path: string) => forge.calls.send('GET', path)

async function status(method: string, path: string, body?: unknown, bearer = token): Promise<number> {
  return (await forge.calls.send(method, path, body, bearer)).status
}

/** A job that a runner took, and ended so; null: it is still at it. */
async function started(conclusion: 'success' | 'failure' | null, log = ''): Promise<number> {
  const id = await forge.calls.submit({ ...plainJob, name: String(conclusion) })
  const { session } = (await forge.calls.connect((await forge.calls.mint(`r-${id}`)).jit, `program ${id}`))
    .body
  await forge.calls.send('GET', '/_runner/job', undefined, session)
  if (log !== '') await forge.calls.send('POST', `/_runner/jobs/${id}/log`, log, session)
  if (conclusion !== null) {
    await forge.calls.send('POST', `/_runner/jobs/${id}/complete`, { conclusion }, session)
  }
  return id
}
