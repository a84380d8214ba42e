import { describe, expect, it } from 'vitest'
import { answering, github, type Routes, routed, type Seen } from '../../../test/contract/github/answering.ts'
import { recordedLog } from '../../../test/support/machine.ts'

const scope = { installation: 'gh', repository: 'acme/shop' }
const never = new AbortController().signal
const runners = '/repos/acme/shop/actions/runners'
const job = {
  id: 7,
  run_id: 70,
  run_attempt: 2,
  name: 'build',
  labels: ['linux'],
  status: 'queued',
  conclusion: null,
  runner_id: null,
  runner_name: '',
  created_at: '2026-01-02T03:04:05Z',
  started_at: '2026-01-02T03:04:05Z',
  completed_at: null,
}
const asked = { installation: 'gh', since: 0, settledRuns: new Set<number>() }

const routes = async (given: Routes) => (await github(routed(given))).forge

describe('a 404 from GitHub', () => {
  it('proves absence where the repository can be read', async () => {
    const forge = await routes({
      '/repos/acme/shop': [200, { id: 1, full_name: 'acme/shop' }],
      [runners]: [200, { total_count: 0, runners: [] }],
    })
    expect(await forge.readJob(scope, 7, never)).toBeNull()
    expect(await forge.removeRunner(scope, 3, never)).toBe('absent')
  })

  it('proves nothing where the repository cannot be read either', async () => {
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

describe('the origin of a run at GitHub', () => {
  const ours = { id: 1, private: false }
  const listed = (run: object): Routes => ({
    '/user/repos': [200, [{ id: 1, full_name: 'acme/shop' }]],
    '/repos/acme/shop/actions/runs': [200, { total_count: 1, workflow_runs: [{ id: 70, ...run }] }],
    '/repos/acme/shop/actions/runs/70': [200, { id: 70, ...run }],
    '/repos/acme/shop/actions/runs/70/jobs': [200, { total_count: 1, jobs: [job] }],
  })

  it.each([
    ['its own', { repository: ours, head_repository: { id: 1 } }, { visibility: 'public', isFork: false }],
    ["a fork's", { repository: ours, head_repository: { id: 2 } }, { visibility: 'public', isFork: true }],
    ["a deleted fork's", { repository: ours, head_repository: null }, { visibility: 'public' }],
    ['not said', {}, {}],
    ['absurd', { repository: 'acme/shop', head_repository: { id: 'x' } }, {}],
  ])('is read where it is %s, alone and in lists', async (_, run, origin) => {
    const forge = await routes(listed(run))
    expect(await forge.readOrigin(scope, 70, never)).toEqual(origin)
    const { events } = await forge.listJobs(asked, never)
    const [{ visibility, isFork } = {}] = events.map((event) => event.job)
    expect({ visibility, isFork }).toEqual({ visibility: undefined, isFork: undefined, ...origin })
  })
})

describe('the details of a job at GitHub', () => {
  const failed = {
    ...job,
    status: 'completed',
    conclusion: 'failure',
    head_sha: 'a'.repeat(40),
    runner_id: 5,
    runner_name: 'r-1',
    steps: [{ number: 2, name: 'Run tests', status: 'completed', conclusion: 'failure' }, { name: 'odd' }],
  }
  const read: Routes = { '/repos/acme/shop/actions/jobs/7': [200, failed] }
  const annotations = '/repos/acme/shop/check-runs/7/annotations'

  it('are steps as documented, commit and annotations', async () => {
    const annotation = {
      annotation_level: 'failure',
      title: '',
      message: 'Process completed with exit code 1.',
    }
    const forge = await routes({ ...read, [annotations]: [200, [annotation]] })
    expect(await forge.readJobDetail(scope, 7, never)).toMatchObject({
      headSha: 'a'.repeat(40),
      runAttempt: 2,
      runnerId: 5,
      steps: [{ number: 2, name: 'Run tests', conclusion: 'failure' }],
      annotations: [{ level: 'failure', title: null, message: 'Process completed with exit code 1.' }],
    })
  })

  it('are read without annotations where these are closed to us, and say so', async () => {
    const refused = [403, { message: 'Resource not accessible by integration' }] as const
    const forge = await routes({ ...read, [annotations]: refused })
    expect(await forge.readJobDetail(scope, 7, never)).toMatchObject({ jobId: 7, annotations: null })
  })
})

describe('reading from GitHub', () => {
  const jobPath = '/repos/acme/shop/actions/jobs/7'

  it('ignores start and runner of a queued job', async () => {
    const forge = await routes({ [jobPath]: [200, job] })
    expect(await forge.readJob(scope, 7, never)).toMatchObject({
      job: { forgeJobId: 7, runId: 70, runAttempt: 2 },
      status: 'queued',
      runnerName: null,
      queuedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
      startedAt: null,
    })
  })

  it('treats a job that waits for an approval as open', async () => {
    const forge = await routes({ [jobPath]: [200, { ...job, status: 'waiting' }] })
    expect((await forge.readJob(scope, 7, never))?.status).toBe('queued')
  })

  it('refuses an invalid job, and names the field', async () => {
    const forge = await routes({ [jobPath]: [200, { ...job, labels: 'linux' }] })
    await expect(forge.readJob(scope, 7, never)).rejects.toThrow(/labels/)
  })

  it('refuses a list with fewer items than its count', async () => {
    const forge = await routes({ [runners]: [200, { total_count: 2, runners: [] }] })
    await expect(forge.findRunner(scope, 'r-1', never)).rejects.toThrow(/kept changing/)
  })

  it('gives up when the caller does', async () => {
    const caller = new AbortController()
    const hanging = () => caller.abort(new Error('shutting down'))
    const { forge } = await github(hanging, { timeoutMs: 60_000 })
    await expect(forge.readJob(scope, 7, caller.signal)).rejects.toThrow(/shutting down/)
  })

  it('throws E_BUG for an installation that is not its own', async () => {
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
    // Newer runs, by their creation.
    [runs]: [200, { total_count: 1, workflow_runs: [{ id: 72, status: 'completed' }] }],
    [`${runs}/70/jobs`]: [200, { total_count: 1, jobs: [job] }],
    [`${runs}/71/jobs`]: [200, { total_count: 0, jobs: [] }],
    [`${runs}/72/jobs`]: [200, { total_count: 1, jobs: [{ ...job, id: 8, status: 'completed' }] }],
  }

  it('fails as a whole when one part of it cannot be read', async () => {
    expect((await (await routes(parts)).listJobs(asked, never)).events).toHaveLength(2)
    for (const part of Object.keys(parts)) {
      const forge = await routes({ ...parts, [part]: [502, {}] })
      await expect(forge.listJobs(asked, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
    }
  })

  it('leaves out the jobs of settled runs, and reads those of runs that are open again', async () => {
    const seen: Seen[] = []
    const { forge } = await github(routed(parts, seen))
    const listed = await forge.listJobs({ ...asked, settledRuns: new Set([70, 71, 72]) }, never)
    expect(listed.events.map((event) => event.job.forgeJobId)).toEqual([7])
    const read = seen.map(({ route }) => route).filter((route) => route.endsWith('/jobs'))
    expect(read.sort()).toEqual([`GET ${runs}/70/jobs`, `GET ${runs}/71/jobs`])
  })

  it('skips and reports a repository that GitHub refuses until a person acts', async () => {
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
      events: { length: 2 },
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

  it('skips a run that was deleted after it was listed', async () => {
    const forge = await routes({ ...parts, [`${runs}/72/jobs`]: [404, { message: 'Not Found' }] })
    expect(await forge.listJobs(asked, never)).toMatchObject({
      events: [{ job: { forgeJobId: 7 } }],
      read: ['acme/shop'],
      runsGone: 1,
    })
  })

  it('does not take runs for deleted where their repository cannot be read any more either', async () => {
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
      events: [],
      read: ['acme/open'],
      notCovered: ['acme/shop'],
      runsGone: 0,
    })
  })

  it('fails instead of being empty where GitHub shows none of the repositories', async () => {
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

    it(`${verb} is not reported as refused where GitHub only rate-limits us, or rejects our credentials`, async () => {
      for (const code of [401, 429, 502]) {
        const forge = await routes({ [`POST ${path}`]: [code, { message: 'no' }] })
        await expect(forge[verb](scope, 7, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
      }
    })
  }
})

describe("a job's log", () => {
  const logs = '/repos/acme/shop/actions/jobs/7/logs'

  it('is read from its storage, to which our token is never sent', async () => {
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

  it('is not read from an address that is not HTTP, nor from a failing store', async () => {
    const store = await answering((_, response) => response.writeHead(500).end())
    for (const location of ['data:text/plain,hello', 'file:///etc/passwd', 'nowhere', store]) {
      const forge = await routes({ [logs]: [302, undefined, { location }] })
      await expect(forge.readLog(scope, 7, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
    }
  })
})
