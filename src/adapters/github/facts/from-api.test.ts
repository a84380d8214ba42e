import { describe, expect, it } from 'vitest'
import {
  github,
  podToken,
  type Routes,
  routed,
  type Seen,
} from '../../../../test/contract/github/answering.ts'
import { isWhole } from '../../../domain/snapshot/index.ts'
import type { ForgeFactsOrder } from '../../../ports/forge-facts.ts'

const never = new AbortController().signal
const limit = (remaining: number): Routes => ({
  '/rate_limit': [200, { resources: { core: { limit: 5_000, remaining, reset: 1_800_000_000 } } }],
})
const runner = {
  id: 7,
  name: 'linux-7',
  status: 'offline',
  busy: true,
  labels: [{ name: 'linux' }],
  version: '2.331.0',
}
const job = {
  id: 87,
  run_id: 31,
  name: 'build',
  labels: ['linux'],
  status: 'completed',
  conclusion: 'failure',
  head_sha: 'a'.repeat(40),
  runner_name: 'linux-7',
}
const runs = '/repos/acme/web/actions/runs'
const web: Routes = {
  ...limit(4_000),
  '/orgs/acme/actions/runners': [200, { total_count: 1, runners: [runner] }],
  '/orgs/Acme/actions/runners': [200, { total_count: 1, runners: [runner] }],
  [runs]: [200, { total_count: 1, workflow_runs: [{ id: 31, created_at: '2026-01-02T03:04:05Z' }] }],
  [`${runs}/31/jobs`]: [200, { total_count: 1, jobs: [job] }],
}
const order: ForgeFactsOrder = {
  runnerScopes: ['acme'],
  isCoveredWanted: false,
  repositories: ['acme/web'],
  since: 0,
  runs: [],
  jobs: [],
  callsMax: 100,
}

async function read(routes: Routes, given: Partial<ForgeFactsOrder> = {}, seen: Seen[] = []) {
  const { facts } = await github(routed(routes, seen))
  return facts.readForgeFacts({ ...order, ...given }, never)
}

describe('facts of GitHub', () => {
  it('are runners, jobs and the calls that are left, each whole, and counted', async () => {
    const seen: Seen[] = []
    const { facts, requests } = await read(web, {}, seen)
    expect(facts.runners.items).toEqual([
      {
        scope: 'acme',
        id: 7,
        name: 'linux-7',
        isOnline: false,
        isBusy: true,
        labels: ['linux'],
        version: '2.331.0',
      },
    ])
    expect(facts.jobs.items).toMatchObject([{ jobId: 87, repository: 'acme/web', annotations: null }])
    expect(facts.budgets.items).toMatchObject([{ credential: 'settings', limit: 5_000, remaining: 4_000 }])
    expect(Object.values(facts).every(isWhole)).toBe(true)
    expect(requests).toBe(seen.length)
  })

  it('name each list that could not be read with the permission that it needs, and have all others', async () => {
    const refused = [403, { message: 'Resource not accessible by integration' }] as const
    const { facts } = await read({ ...web, '/orgs/acme/actions/runners': refused })
    expect(facts.runners).toMatchObject({
      items: [],
      unread: [{ what: 'runners of acme', needs: expect.stringContaining('self-hosted runners: read') }],
    })
    expect(facts.jobs.items).toHaveLength(1)
  })

  it('of a named job have annotations and the log, masked', async () => {
    const annotations = [{ annotation_level: 'failure', title: '', message: 'exit code 1' }]
    const { facts } = await read(
      {
        ...web,
        '/repos/acme/web/actions/jobs/87': [200, job],
        '/repos/acme/web/check-runs/87/annotations': [200, annotations],
        '/repos/acme/web/actions/jobs/87/logs': ({ headers }) => [
          302,
          '',
          { location: `http://${headers.host}/log` },
        ],
        '/log': [200, `token ${podToken}`],
      },
      { jobs: [{ repository: 'acme/web', jobId: 87 }] },
    )
    expect(facts.jobs.items).toMatchObject([{ jobId: 87, annotations: [{ message: 'exit code 1' }] }])
    expect(facts.logs.items).toMatchObject([{ jobId: 87, isCut: false }])
    expect(JSON.stringify(facts.logs)).not.toContain(podToken)
    expect(isWhole(facts.logs)).toBe(true)
  })

  describe('of a job that was run again', () => {
    const again = { ...job, id: 91, run_attempt: 2, conclusion: 'success', runner_name: 'linux-8' }
    const lint = { ...job, id: 92, run_attempt: 2, name: 'lint' }
    const seen: Seen[] = []
    const routes: Routes = {
      ...web,
      [`${runs}/31/jobs`]: [200, { total_count: 3, jobs: [{ ...job, run_attempt: 1 }, again, lint] }],
      '/repos/acme/web/actions/jobs/91': [200, again],
      '/repos/acme/web/check-runs/91/annotations': [200, []],
      '/repos/acme/web/actions/jobs/87/logs': ({ headers }) => [
        302,
        '',
        { location: `http://${headers.host}/log` },
      ],
      '/repos/acme/web/actions/jobs/92/logs': [404, {}],
      '/log': [200, 'Killed'],
    }
    const attemptsIn = ({ facts }: Awaited<ReturnType<typeof read>>) =>
      facts.jobs.items.map(({ name, runAttempt, conclusion }) => `${name} ${runAttempt} ${conclusion}`).sort()

    it('have every attempt of it, and the log of the one that failed', async () => {
      const named = { repositories: [], jobs: [{ repository: 'acme/web', jobId: 91 }] }
      const answer = await read(routes, named, seen)
      expect(attemptsIn(answer)).toEqual(['build 1 failure', 'build 2 success'])
      expect(answer.facts.logs.items).toMatchObject([{ jobId: 87, lines: ['"Killed"'] }])
      expect(seen.map(({ url }) => url).join('\n')).toContain(`${runs}/31/jobs?filter=all`)
    })
    it('have every attempt of all jobs where its run is named', async () => {
      const answer = await read(routes, { repositories: [], runs: [{ repository: 'acme/web', runId: 31 }] })
      expect(attemptsIn(answer)).toEqual(['build 1 failure', 'build 2 success', 'lint 2 failure'])
      expect(answer.facts.logs.items.map(({ jobId }) => jobId)).toEqual([87])
    })
  })

  it('take no more calls than the budget allows, and name the lists that are missing for that', async () => {
    const seen: Seen[] = []
    const { facts, requests } = await read(web, { callsMax: 3 }, seen)
    expect([requests, seen.length]).toEqual([3, 3])
    expect(facts.runners.items).toHaveLength(1)
    expect(facts.jobs.items).toEqual([])
    expect(facts.jobs.unread).toMatchObject([
      { what: 'jobs of acme/web', why: expect.stringContaining('3 calls') },
    ])
  })

  it('leave half of the calls that a credential has', async () => {
    const seen: Seen[] = []
    const many = ['acme/web', 'acme/api', 'acme/docs']
    const { facts } = await read({ ...web, ...limit(4) }, { repositories: many }, seen)
    expect(seen.length).toBe(2)
    expect(facts.jobs.unread.map(({ what }) => what)).toEqual(['jobs of 3 repositories, acme/web first'])
    expect(facts.jobs.unread[0]?.why).toContain('4 calls left')
  })

  it('of everything that is covered have the runners of organisations and repositories, and of no person', async () => {
    const repository = (id: number, full_name: string, type: string) => ({ id, full_name, owner: { type } })
    const none = [200, { total_count: 0, runners: [] }] as const
    const routes = {
      ...web,
      '/user/repos': [
        200,
        [repository(1, 'acme/web', 'Organization'), repository(2, 'ann/notes', 'User')],
      ] as const,
      '/repos/acme/web/actions/runners': none,
      '/repos/ann/notes/actions/runners': none,
    }
    const seen: Seen[] = []
    const { facts } = await read(routes, { runnerScopes: ['Acme'], isCoveredWanted: true }, seen)
    expect(facts.runners.unread).toEqual([])
    const asked = seen.map(({ route }) => route).filter((route) => route.endsWith('/runners'))
    expect(asked).toEqual([
      'GET /orgs/Acme/actions/runners',
      'GET /repos/acme/web/actions/runners',
      'GET /repos/ann/notes/actions/runners',
    ])
  })

  it('of a credential whose coverage is refused are unread for runners as for jobs', async () => {
    const order = { runnerScopes: [], repositories: null, isCoveredWanted: true }
    const { facts } = await read({ ...web, '/user/repos': [403, { message: 'no' }] }, order)
    expect(facts.runners.unread).toMatchObject([{ what: 'runners of everything that is covered' }])
    expect(facts.jobs.unread).toMatchObject([{ what: 'jobs of everything that is covered' }])
  })

  it('of a server without a limit of calls say that there is none', async () => {
    const answer = [404, { message: 'Rate limiting is not enabled.' }] as const
    const { facts } = await read({ ...web, '/rate_limit': answer })
    expect(facts.budgets).toMatchObject({
      items: [{ credential: 'settings', limit: null, remaining: null, resetAt: null }],
      unread: [],
    })
    expect(facts.jobs.items).toHaveLength(1)
  })
})
