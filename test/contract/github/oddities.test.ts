import { describe, expect, it } from 'vitest'
import { recordedLog } from '../../support/machine.ts'
import { reached } from '../../support/reached.ts'
import { untilTestEnds } from '../../support/until-test-ends.ts'
import { overHttp } from '../forge/over-http.ts'
import { answering, github, podToken, type Routes, routed, type Seen } from './answering.ts'

const never = new AbortController().signal
const scope = { installation: 'gh', repository: 'acme/shop' }
const asked = { installation: 'gh', since: 0, settledRuns: new Set<number>() }
const runs = '/repos/acme/shop/actions/runs'
const job = {
  id: 7,
  run_id: 70,
  run_attempt: 1,
  name: 'build',
  labels: ['linux'] as (string | null)[],
  status: 'queued',
  conclusion: null,
  runner_id: null,
  runner_name: '',
  created_at: '2026-01-02T03:04:05Z',
  started_at: '2026-01-02T03:04:05Z',
  completed_at: null,
}

function listing(jobs: readonly unknown[], over: Routes = {}): Routes {
  return {
    '/user/repos': [200, [{ id: 1, full_name: 'acme/shop' }]],
    [runs]: [200, { total_count: 1, workflow_runs: [{ id: 70, status: 'queued' }] }],
    [`${runs}/70/jobs`]: [200, { total_count: jobs.length, jobs }],
    ...over,
  }
}

describe('one odd item in a list of jobs', () => {
  it('is read without a label that is none', async () => {
    const { forge } = await github(routed(listing([{ ...job, labels: ['linux', null] }])))
    expect((await forge.listJobs(asked, never)).events).toMatchObject([{ job: { labels: ['linux'] } }])
  })

  it('is skipped and logged where it is not as documented, and the others are listed', async () => {
    const log = recordedLog()
    const jobs = [{ ...job, id: 6, labels: 'linux' }, job, { ...job, id: 8, name: null }]
    const { forge } = await github(routed(listing(jobs)), { log })
    expect(await forge.listJobs(asked, never)).toMatchObject({
      events: [{ job: { forgeJobId: 7 } }],
      skipped: 2,
    })
    expect(log.lines.map(({ fields }) => fields.why)).toEqual([
      expect.stringContaining('item 6 is not as documented at labels'),
      expect.stringContaining('item 8 is not as documented at name'),
    ])
  })

  it('fails nothing where the forge counts more runs than it shows', async () => {
    const short: Routes = { [runs]: [200, { total_count: 3, workflow_runs: [{ id: 70, status: 'queued' }] }] }
    const { forge } = await github(routed(listing([job], short)))
    const listed = await forge.listJobs(asked, never)
    expect(listed.events).toHaveLength(1)
    expect(listed.skipped).toBeGreaterThan(0)
  })

  it('is never passed over where absence would mean something', async () => {
    const runners = { total_count: 1, runners: [{ id: 3, name: 'r-1', status: 'online', busy: null }] }
    const { forge } = await github(routed({ '/repos/acme/shop/actions/runners': [200, runners] }))
    await expect(forge.findRunner(scope, 'r-1', never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
  })
})

describe('a repository that was renamed', () => {
  const renamed = (route: string, status: number) => ({
    [route]: [status, {}, { location: '/repositories/1/actions/runners/generate-jitconfig' }] as const,
  })
  const minted = [201, { runner: { id: 5 }, encoded_jit_config: 'abc' }] as const
  const order = { scope, name: 'r-1', labels: ['linux'] }
  const oldPath = 'POST /repos/acme/shop/actions/runners/generate-jitconfig'
  const newPath = 'POST /repositories/1/actions/runners/generate-jitconfig'

  it('is minted for and read where the forge leads', async () => {
    const seen: Seen[] = []
    const routes: Routes = {
      ...renamed(oldPath, 307),
      [newPath]: minted,
      '/repos/acme/shop/actions/jobs/7': [301, {}, { location: '/repositories/1/actions/jobs/7' }],
      '/repositories/1/actions/jobs/7': [200, job],
    }
    const { forge } = await github(routed(routes, seen))
    expect(await forge.mint(order, never)).toMatchObject({ kind: 'minted', forgeRunnerId: 5 })
    expect(await forge.readJob(scope, 7, never)).toMatchObject({ job: { forgeJobId: 7 } })
    expect(seen.find(({ route }) => route === newPath)?.body).toContain('"r-1"')
  })

  it('is reported under its present name, and under the requested one where the answer has none', async () => {
    const leads = (id: number) => [301, {}, { location: `/repositories/1/actions/jobs/${id}` }] as const
    const { forge } = await github(
      routed({
        '/repos/acme/shop/actions/jobs/7': leads(7),
        '/repos/acme/shop/actions/jobs/8': leads(8),
        '/repositories/1/actions/jobs/7': [
          200,
          { ...job, url: 'https://api.github.com/repos/zeta/store/actions/jobs/7' },
        ],
        '/repositories/1/actions/jobs/8': [200, { ...job, id: 8 }],
      }),
    )
    expect(await forge.readJob(scope, 7, never)).toMatchObject({ job: { repository: 'zeta/store' } })
    expect(await forge.readJob(scope, 8, never)).toMatchObject({ job: { repository: 'acme/shop' } })
  })

  it('is not out of reach under the name that its jobs had', async () => {
    const routes: Routes = {
      '/user/repos': [200, [{ id: 1, full_name: 'Acme/Store' }]],
      '/repos/acme/shop': [301, {}, { location: '/repositories/1' }],
      '/repositories/1': [200, { id: 1, full_name: 'Acme/Store' }],
    }
    const { forge } = await github(routed(routes))
    expect(await forge.unreachable('gh', reached('acme/shop', 'acme/other'), never)).toMatchObject([
      { repository: 'acme/other' },
    ])
  })

  it('takes our token to no other host', async () => {
    const elsewhere: Seen[] = []
    const other = await answering(routed({}, elsewhere))
    const location = `${other.replace('127.0.0.1', 'localhost')}anywhere`
    const { forge } = await github(routed({ [oldPath]: [307, {}, { location }] }))
    await expect(forge.mint(order, never)).rejects.toThrow(/another host/)
    expect(elsewhere).toEqual([])
    expect(podToken).not.toBe('')
  })

  it('ends where it leads in a circle', async () => {
    const { forge } = await github(routed({ [oldPath]: [308, {}, { location: oldPath.slice(5) }] }))
    await expect(forge.mint(order, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
  })
})

describe('an App whose clock is not that of the forge', () => {
  for (const aheadMs of [-20 * 60_000, 20 * 60_000]) {
    it(`goes on where the forge's is ${aheadMs / 60_000} min ahead`, async () => {
      const under = untilTestEnds(await overHttp('simulated', { app: 'all' }))
      await under.calls.submit()
      await under.calls.send('POST', '/_sim/faults', { aheadMs })
      const mint = (name: string) =>
        under.forge.mint(
          { scope: { ...scope, installation: 'simulated' }, name, labels: ['self-hosted'] },
          never,
        )
      expect((await mint('r-1')).kind).toBe('minted')
      expect((await mint('r-2')).kind).toBe('minted')
    })
  }
})
