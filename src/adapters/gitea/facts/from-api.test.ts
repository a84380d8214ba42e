import { describe, expect, it } from 'vitest'
import { answering, type Routes, routed, type Seen } from '../../../../test/contract/github/answering.ts'
import { clock, recordedLog } from '../../../../test/support/machine.ts'
import { isWhole } from '../../../domain/snapshot/index.ts'
import type { ForgeFactsOrder } from '../../../ports/forge-facts.ts'
import { createGiteaFacts } from './from-api.ts'

const never = new AbortController().signal
const planted = 'gto_0123456789abcdef0123456789abcdef01234567'
const api = '/api/v1'
const shop = `${api}/repos/acme/shop/actions`
const job = {
  id: 17,
  run_id: 70,
  run_attempt: 1,
  name: 'build',
  labels: ['linux'],
  status: 'in_progress',
  runner_id: 5,
  runner_name: 'linux-5',
  head_sha: 'a'.repeat(40),
  html_url: 'https://gitea.example/acme/shop/actions/runs/70/jobs/17',
  url: 'https://gitea.example/api/v1/repos/acme/shop/actions/jobs/17',
  created_at: '2026-06-01T02:50:00Z',
  started_at: '2026-06-01T02:51:00Z',
  steps: [{ number: 1, name: 'Set up job', status: 'completed', conclusion: 'success' }],
}
const listed = (key: string, ...items: readonly object[]) =>
  [200, { total_count: items.length, [key]: items }] as const
const runner = { id: 5, name: 'linux-5', status: 'online', busy: false, labels: [{ name: 'linux' }] }
const refused = [403, { message: 'token does not have at least one of required scope(s)' }] as const
const run = (id: number) => ({
  id,
  status: 'completed',
  completed_at: '2026-06-01T02:55:00Z',
  url: `https://gitea.example${shop}/runs/${id}`,
})

/** An administrator's view of an instance with one repository. */
const instance: Routes = {
  [`${api}/version`]: [200, { version: '1.27.3' }],
  [`${api}/admin/actions/jobs`]: listed('jobs', job),
  [`${api}/admin/actions/runs`]: ({ url }) =>
    url?.endsWith('page=1') ? listed('workflow_runs', run(71)) : listed('workflow_runs'),
  [`${api}/admin/actions/runners`]: listed('runners', runner),
  [`${shop}/runs/71/jobs`]: listed('jobs', {
    ...job,
    id: 18,
    run_id: 71,
    status: 'completed',
    conclusion: 'failure',
  }),
}
const order: ForgeFactsOrder = {
  runnerScopes: [],
  isCoveredWanted: true,
  repositories: null,
  since: 0,
  runs: [],
  jobs: [],
  callsMax: 100,
}

async function read(routes: Routes, given: Partial<ForgeFactsOrder> = {}, seen: Seen[] = []) {
  const url = await answering(routed(routes, seen))
  const facts = createGiteaFacts({ url, token: () => 'api-token', clock, log: recordedLog() })
  return facts.readForgeFacts({ ...order, ...given }, never)
}

describe('facts of Gitea', () => {
  it('are runners and jobs of the whole instance for an administrator, each whole, and counted', async () => {
    const seen: Seen[] = []
    const { facts, requests, bytes } = await read(instance, {}, seen)
    expect(facts.runners.items).toEqual([
      {
        scope: null,
        id: 5,
        name: 'linux-5',
        isOnline: true,
        isBusy: true,
        labels: ['linux'],
        version: null,
      },
    ])
    expect(facts.jobs.items).toMatchObject([
      { jobId: 17, repository: 'acme/shop', status: 'in_progress', headSha: 'a'.repeat(40) },
      { jobId: 18, runId: 71, conclusion: 'failure', steps: [{ name: 'Set up job' }] },
    ])
    expect(Object.values(facts).every(isWhole)).toBe(true)
    expect(requests).toBe(seen.length)
    expect(bytes).toBeGreaterThan(0)
  })

  it('say that no limit of calls is set, without a call', async () => {
    const { facts, requests } = await read({}, { repositories: [], isCoveredWanted: false })
    expect(facts.budgets).toMatchObject({
      items: [{ credential: 'settings', limit: null, remaining: null, resetAt: null }],
      unread: [],
    })
    expect(requests).toBe(0)
  })

  it('of others are those of their repositories, and never the whole list of runners', async () => {
    const { facts } = await read({
      [`${api}/version`]: [200, { version: '1.27.3' }],
      [`${api}/admin/actions/jobs`]: refused,
      [`${api}/user/repos`]: ({ url }) =>
        url?.endsWith('page=1')
          ? [200, [{ id: 1, full_name: 'acme/shop', has_actions: true, permissions: { admin: true } }]]
          : [200, []],
      [`${api}/user/orgs`]: refused,
      [`${shop}/jobs`]: listed('jobs', { ...job, status: 'queued', runner_id: 0 }),
      [`${shop}/runs`]: listed('workflow_runs'),
      [`${shop}/runners`]: listed('runners', runner),
    })
    expect(facts.runners.items).toMatchObject([{ scope: 'acme/shop', name: 'linux-5', isBusy: false }])
    expect(facts.runners.unread).toMatchObject([
      { what: 'runners of organisations', why: expect.stringContaining('403') },
      { what: 'runners of the whole instance', why: expect.stringContaining('administrator') },
    ])
    expect(facts.jobs).toMatchObject({
      items: [{ jobId: 17, status: 'queued', runnerName: null }],
      unread: [],
    })
  })

  it('name a repository that is hidden, and go on with the others', async () => {
    const { [`${shop}/runs/71/jobs`]: _, ...hidden } = instance
    const { facts } = await read(hidden)
    expect(facts.jobs.items).toMatchObject([{ jobId: 17 }])
    expect(facts.jobs.unread).toMatchObject([{ what: 'jobs of acme/shop' }])
  })

  it('do not call a job queued that waits for other jobs', async () => {
    const waiting = { ...job, status: 'waiting', runner_id: 0, runner_name: '' }
    const { facts } = await read({ ...instance, [`${shop}/runs/71/jobs`]: listed('jobs', waiting) })
    expect(facts.jobs.items).toMatchObject([{ jobId: 17, status: 'waiting' }])
  })

  it('of a named job have the log, masked', async () => {
    const { facts } = await read(
      {
        ...instance,
        [`${shop}/jobs/18`]: [200, { ...job, id: 18, status: 'completed', conclusion: 'failure' }],
        [`${shop}/jobs/18/logs`]: [200, `GITEA_TOKEN=${planted} failed`],
      },
      { jobs: [{ repository: 'acme/shop', jobId: 18 }] },
    )
    expect(facts.logs.items).toMatchObject([{ repository: 'acme/shop', jobId: 18, isCut: false }])
    expect(JSON.stringify(facts.logs)).toContain('failed')
    expect(JSON.stringify(facts)).not.toContain(planted)
  })

  it('cost no more calls than they may, and say what is missing for that', async () => {
    const seen: Seen[] = []
    const { facts, requests } = await read(instance, { callsMax: 3 }, seen)
    expect([requests, seen.length]).toEqual([3, 3])
    expect(facts.runners.items).toHaveLength(1)
    expect(facts.jobs).toMatchObject({ items: [], unread: [{ why: expect.stringContaining('3 calls') }] })
  })
})
