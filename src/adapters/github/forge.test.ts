import { describe, expect, it } from 'vitest'
import { answering, github, type Routes, routed, type Seen } from '../../../test/contract/github/answering.ts'
import { recordedLog } from '../../../test/support/machine.ts'

const scope = { installation: 'gh', repository: 'acme/shop' }
const never = new AbortController().signal
const runners = '/repos/acme/shop/actions/runners'
const job = {
  ...{ id: 7, run_id: 70, run_attempt: 2, name: 'build', labels: ['linux'] },
  ...{ status: 'queued', conclusion: null, runner_id: null, runner_name: '' },
  ...{ created_at: '2026-01-02T03:04:05Z', started_at: '2026-01-02T03:04:05Z', completed_at: null },
}
const asked = { installation: 'gh', since: 0, settledRuns: new Set<number>() }

const routes = async (given: Routes) => (await github(routed(given))).forge

describe('a 404 from GitHub', () => {
  it('means that a thing is unknown where what should hold it can be read', async () => {
    const forge = await routes({
      '/repos/acme/shop': [200, { id: 1, full_name: 'acme/shop' }],
      [runners]: [200, { total_count: 0, runners: [] }],
    })
    expect(await forge.readJob(scope, 7, never)).toBeNull()
    expect(await forge.removeRunner(scope, 3, never)).toBe('absent')
  })

  it('means nothing where that cannot be read either', async () => {
    const forge = await routes({})
    const outcomes = await Promise.allSettled([
      forge.readJob(scope, 7, never),
      forge.removeRunner(scope, 3, never),
      forge.findRunner(scope, 'r-1', never),
      forge.listJobs(asked, never),
    ])
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'E_FORGE_UNAVAILABLE' } })
    }
  })
})

describe('reading from GitHub', () => {
  const jobPath = '/repos/acme/shop/actions/jobs/7'

  it('takes no start and no runner from a job that is queued', async () => {
    const forge = await routes({ [jobPath]: [200, job] })
    expect(await forge.readJob(scope, 7, never)).toMatchObject({
      job: { forgeJobId: 7, runId: 70, runAttempt: 2 },
      status: 'queued',
      runnerName: null,
      queuedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
      startedAt: null,
    })
  })

  it('takes a job that waits for an approval as open', async () => {
    const forge = await routes({ [jobPath]: [200, { ...job, status: 'waiting' }] })
    expect((await forge.readJob(scope, 7, never))?.status).toBe('queued')
  })

  it('refuses a job that is not as documented, and says where', async () => {
    const forge = await routes({ [jobPath]: [200, { ...job, labels: 'linux' }] })
    await expect(forge.readJob(scope, 7, never)).rejects.toThrow(/labels/)
  })

  it('does not take a list for whole that has fewer items than it says', async () => {
    const forge = await routes({ [runners]: [200, { total_count: 2, runners: [] }] })
    await expect(forge.findRunner(scope, 'r-1', never)).rejects.toThrow(/kept changing/)
  })

  it('gives up when the caller does', async () => {
    const caller = new AbortController()
    const hanging = () => caller.abort(new Error('shutting down'))
    const { forge } = await github(hanging, { timeoutMs: 60_000 })
    await expect(forge.readJob(scope, 7, caller.signal)).rejects.toThrow(/shutting down/)
  })

  it('is a defect for an installation that is not its own', async () => {
    const forge = await routes({})
    const others = { ...asked, installation: 'another' }
    await expect(forge.listJobs(others, never)).rejects.toMatchObject({ code: 'E_BUG' })
    await expect(forge.unreachable('another', [], never)).rejects.toMatchObject({ code: 'E_BUG' })
  })
})

describe('the list of jobs', () => {
  const runs = '/repos/acme/shop/actions/runs'
  const parts: Routes = {
    '/user/repos': [200, [{ id: 1, full_name: 'acme/shop' }]],
    [`${runs}?status=queued`]: [200, { total_count: 1, workflow_runs: [{ id: 70, status: 'queued' }] }],
    [`${runs}?status=in_progress`]: [200, { total_count: 1, workflow_runs: [{ id: 71 }] }],
    // The newer ones, by their creation.
    [runs]: [200, { total_count: 1, workflow_runs: [{ id: 72, status: 'completed' }] }],
    [`${runs}/70/jobs`]: [200, { total_count: 1, jobs: [job] }],
    [`${runs}/71/jobs`]: [200, { total_count: 0, jobs: [] }],
    [`${runs}/72/jobs`]: [200, { total_count: 1, jobs: [{ ...job, id: 8, status: 'completed' }] }],
  }

  it('fails as a whole when one part of it cannot be read', async () => {
    expect((await (await routes(parts)).listJobs(asked, never)).words).toHaveLength(2)
    for (const part of Object.keys(parts)) {
      const forge = await routes({ ...parts, [part]: [502, {}] })
      await expect(forge.listJobs(asked, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
    }
  })

  it('leaves out the jobs of runs that are settled and over, and reads those that are open again', async () => {
    const seen: Seen[] = []
    const { forge } = await github(routed(parts, seen))
    const listed = await forge.listJobs({ ...asked, settledRuns: new Set([70, 71, 72]) }, never)
    expect(listed.words.map((word) => word.job.forgeJobId)).toEqual([7])
    const read = seen.map(({ route }) => route).filter((route) => route.endsWith('/jobs'))
    expect(read.sort()).toEqual([`GET ${runs}/70/jobs`, `GET ${runs}/71/jobs`])
  })

  it('passes over a repository that GitHub will not show until a person acts, and says so', async () => {
    const log = recordedLog()
    const blocked = '/repos/acme/blocked/actions/runs'
    const given: Routes = {
      ...parts,
      '/user/repos': [
        200,
        [
          { id: 1, full_name: 'acme/shop' },
          { id: 2, full_name: 'acme/blocked' },
        ],
      ],
      [blocked]: [403, { message: 'Resource not accessible by integration' }],
    }
    const { forge } = await github(routed(given), { log })
    expect(await forge.listJobs(asked, never)).toMatchObject({
      words: { length: 2 },
      read: ['acme/shop'],
      notCovered: ['acme/blocked'],
    })
    expect(log.lines).toMatchObject([
      { level: 'warn', fields: { whose: 'acme/blocked', incident: 'repository-not-covered' } },
    ])
    for (const reply of [
      [429, {}],
      [401, {}],
      [502, {}],
    ] as const) {
      const failing = await routes({ ...given, [blocked]: reply })
      await expect(failing.listJobs(asked, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
    }
  })

  it('goes on without a run that was deleted after it was listed', async () => {
    const forge = await routes({ ...parts, [`${runs}/72/jobs`]: [404, { message: 'Not Found' }] })
    expect(await forge.listJobs(asked, never)).toMatchObject({
      words: [{ job: { forgeJobId: 7 } }],
      read: ['acme/shop'],
      runsGone: 1,
    })
  })

  it('does not take runs for deleted where their repository is not shown any more either', async () => {
    const given: Routes = {
      ...parts,
      '/user/repos': [
        200,
        [
          { id: 1, full_name: 'acme/shop' },
          { id: 2, full_name: 'acme/open' },
        ],
      ],
      '/repos/acme/open/actions/runs': [200, { total_count: 0, workflow_runs: [] }],
      [`${runs}/72/jobs`]: [404, { message: 'Not Found' }],
      [`${runs}?per_page=1`]: [404, { message: 'Not Found' }],
    }
    expect(await (await routes(given)).listJobs(asked, never)).toMatchObject({
      ...{ words: [], read: ['acme/open'], notCovered: ['acme/shop'], runsGone: 0 },
    })
  })

  it('is not empty but fails where GitHub will show none of the repositories', async () => {
    const forge = await routes({
      ...parts,
      [`${runs}?status=queued`]: [403, { message: 'Resource not accessible by integration' }],
    })
    await expect(forge.listJobs(asked, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
  })
})

describe('orders to GitHub', () => {
  const orders = [
    ['rerunJob', '/repos/acme/shop/actions/jobs/7/rerun', 201],
    ['rerunFailedJobs', '/repos/acme/shop/actions/runs/7/rerun-failed-jobs', 201],
    ['cancelRun', '/repos/acme/shop/actions/runs/7/cancel', 202],
  ] as const
  for (const [verb, path, status] of orders) {
    it(`${verb} is done, or refused in GitHub's words`, async () => {
      const taken = await routes({ [`POST ${path}`]: [status, {}] })
      expect(await taken[verb](scope, 7, never)).toEqual({ kind: 'done' })
      const refusing = await routes({ [`POST ${path}`]: [409, { message: 'It is over' }] })
      expect(await refusing[verb](scope, 7, never)).toEqual({ kind: 'refused', reason: '409 It is over' })
    })

    it(`${verb} is not told as refused where GitHub only asks us to slow down, or does not know us`, async () => {
      for (const code of [401, 429, 502]) {
        const forge = await routes({ [`POST ${path}`]: [code, { message: 'no' }] })
        await expect(forge[verb](scope, 7, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
      }
    })
  }
})

describe("a job's log", () => {
  const logs = '/repos/acme/shop/actions/jobs/7/logs'

  it('is read where GitHub keeps it, which never sees our token', async () => {
    const seen: Seen[] = []
    const store = await answering((request, response) => {
      seen.push({ route: '', url: request.url ?? '', headers: request.headers, body: '' })
      response.end('first line\nlast line\n')
    })
    const forge = await routes({ [logs]: [302, undefined, { location: `${store}blob?signature=1` }] })
    expect(await forge.readLog(scope, 7, never)).toBe('first line\nlast line\n')
    expect(seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/blob?signature=1', undefined],
    ])
  })

  it('is its newest mebibyte, in whole lines, where it is longer', async () => {
    const line = `${'ä'.repeat(50)}\n`
    const store = await answering((_, response) => {
      for (let n = 0; n < 30_000; n += 1) response.write(line)
      response.end('the end\n')
    })
    const forge = await routes({ [logs]: [302, undefined, { location: store }] })
    const log = (await forge.readLog(scope, 7, never)) ?? ''
    expect(Buffer.byteLength(log)).toBeLessThanOrEqual(1024 * 1024)
    expect(Buffer.byteLength(log)).toBeGreaterThan(1024 * 1024 - 200)
    expect(log.startsWith(line)).toBe(true)
    expect(log.endsWith(`${line}the end\n`)).toBe(true)
  })

  it('is null where GitHub has none, or none any more', async () => {
    expect(await (await routes({})).readLog(scope, 7, never)).toBeNull()
    expect(await (await routes({ [logs]: [410, {}] })).readLog(scope, 7, never)).toBeNull()
    const store = await answering((_, response) => response.writeHead(404).end())
    const forge = await routes({ [logs]: [302, undefined, { location: store }] })
    expect(await forge.readLog(scope, 7, never)).toBeNull()
  })

  it('is not taken from an address that is none of the web, nor from a store that is not well', async () => {
    const store = await answering((_, response) => response.writeHead(500).end())
    for (const location of ['data:text/plain,hello', 'file:///etc/passwd', 'nowhere', store]) {
      const forge = await routes({ [logs]: [302, undefined, { location }] })
      await expect(forge.readLog(scope, 7, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
    }
  })
})
