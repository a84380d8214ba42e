import { describe, expect, it } from 'vitest'
import { answering, type Routes, routed, type Seen } from '../../../test/contract/github/answering.ts'
import { clock, recordedLog } from '../../../test/support/machine.ts'
import { reached } from '../../../test/support/reached.ts'
import { isError } from '../../domain/errors/index.ts'
import { createGitea, type GiteaOptions } from './index.ts'

const never = new AbortController().signal
const scope = { installation: 'gitea', repository: 'acme/shop' }
const request = { scope, name: 'r-1', labels: ['linux'] }
const tokenPath = 'POST /api/v1/repos/acme/shop/actions/runners/registration-token'
const registerPath = 'POST /api/actions/runner.v1.RunnerService/Register'
const registered = { runner: { id: '5', uuid: 'u-1', token: 'runner-secret', name: 'r-1' } }

describe('a repository that was renamed', () => {
  const moved = (status: number, location: string) => [status, {}, { location }] as const
  const newPath = 'POST /api/v1/repos/zeta/store/actions/runners/registration-token'

  it('is minted for at the address to which Gitea redirects, with our token', async () => {
    const seen: Seen[] = []
    const { forge } = await gitea(
      {
        [tokenPath]: moved(307, '/api/v1/repos/zeta/store/actions/runners/registration-token'),
        [newPath]: [200, { token: 'registration' }],
        [registerPath]: [200, registered],
      },
      seen,
    )
    expect(await forge.mint(request, never)).toMatchObject({ kind: 'minted', forgeRunnerId: 5 })
    expect(seen.find(({ route }) => route === newPath)?.headers.authorization).toMatch(/^token /)
  })

  it.each([
    ['another host', 'http://127.0.0.1:9/api/v1/repos/zeta/store/actions/runners/registration-token'],
    ['a page outside of the API', '/zeta/store'],
    ['itself for ever', '/api/v1/repos/acme/shop/actions/runners/registration-token'],
    ['nowhere', 'http://'],
  ])('is not followed to %s, and nothing is sent there', async (_, location) => {
    const seen: Seen[] = []
    const { forge } = await gitea({ [tokenPath]: moved(307, location) }, seen)
    await expect(forge.mint(request, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
    expect(seen.every(({ route }) => route === tokenPath)).toBe(true)
  })

  it('gets no repeated write where the redirect does not keep the method', async () => {
    const seen: Seen[] = []
    const { forge } = await gitea(
      { [tokenPath]: moved(301, '/api/v1/repos/zeta/store'), [newPath]: [200, {}] },
      seen,
    )
    await forge.mint(request, never).catch(() => undefined)
    expect(seen.map(({ route }) => route)).not.toContain(newPath)
  })
})

describe('a mint', () => {
  it('returns the credentials of one ephemeral runner, and not the registration token', async () => {
    const seen: Seen[] = []
    const routes = {
      [tokenPath]: [200, { token: 'registration' }],
      [registerPath]: [200, registered],
    } as const
    const { forge, url } = await gitea(routes, seen)
    const minted = await forge.mint(request, never)
    if (minted.kind !== 'minted') throw new Error(minted.reason)
    expect(minted.forgeRunnerId).toBe(5)
    const runner = JSON.parse(Buffer.from(minted.jit, 'base64').toString())
    expect(runner).toEqual({
      id: 5,
      uuid: 'u-1',
      token: 'runner-secret',
      name: 'r-1',
      labels: ['linux'],
      ephemeral: true,
      address: url,
    })
    const sent = { name: 'r-1', token: 'registration', labels: ['linux'], ephemeral: true }
    expect(JSON.parse(seen[1]?.body ?? '')).toEqual(sent)
    expect(seen[1]?.headers.authorization).toBeUndefined()
  })

  it('requests another token where the first was replaced meanwhile', async () => {
    let registrations = 0
    const replaced = [500, { message: 'runner registration token has been invalidated, please …' }] as const
    const { forge } = await gitea({
      [tokenPath]: [200, { token: 't' }],
      [registerPath]: () => {
        registrations += 1
        return registrations === 1 ? replaced : [200, registered]
      },
    })
    expect(await forge.mint(request, never)).toMatchObject({ kind: 'minted' })
  })

  it.each([
    [401, 'invalid username, password or token', 'account', 'credentials-refused'],
    [403, 'token does not have at least one of required scope(s)', 'account', 'credentials-refused'],
    [403, 'user should be an owner or a collaborator', 'repository', 'repository-not-covered'],
    [404, 'not found', 'repository', 'repository-not-covered'],
    [429, 'slow down', 'account', null],
    [422, 'what is that', 'job', null],
  ] as const)(
    'that is answered with %i "%s" concerns the %s',
    async (status, message, concerns, incident) => {
      const { forge } = await gitea({ [tokenPath]: [status, { message }, { 'retry-after': '7' }] })
      expect(await forge.mint(request, never)).toEqual({
        kind: 'refused',
        concerns,
        incident,
        reason: `${status} ${message}`,
        retryAfterMs: 7_000,
      })
    },
  )

  it('reports that Actions are off where Gitea has no service for runners', async () => {
    const { forge } = await gitea({ [tokenPath]: [200, { token: 't' }] })
    expect(await forge.mint(request, never)).toMatchObject({
      concerns: 'account',
      incident: 'actions-disabled',
    })
  })

  it.each([
    ['a failure of Gitea', { [tokenPath]: [500, {}] }],
    [
      'a failure of its service',
      { [tokenPath]: [200, { token: 't' }], [registerPath]: [500, { message: 'x' }] },
    ],
    ['an empty answer', { [tokenPath]: [200, undefined] }],
    ['an answer without credentials', { [tokenPath]: [200, { token: 't' }], [registerPath]: [200, {}] }],
  ] as const)('is unknown after %s, and the error holds no secret', async (_, routes) => {
    const { forge } = await gitea(routes as unknown as Routes)
    const error = await forge.mint(request, never).catch((reason: unknown) => reason)
    expect(isError(error, 'E_FORGE_UNAVAILABLE')).toBe(true)
    expect(String((error as Error).message)).not.toContain('api-token')
  })

  it.each([
    ['organisation', { '/api/v1/orgs/acme': [200, { id: 1 }] }, '/orgs/acme'],
    ['organisation', {}, '/repos/acme/shop'],
    ['instance', {}, '/admin'],
  ] as const)('in the scope of the %s registers where such runners belong', async (where, more, place) => {
    const path = `POST /api/v1${place}/actions/runners/registration-token`
    const routes = { ...more, [path]: [200, { token: 't' }], [registerPath]: [200, registered] } as const
    const { forge } = await gitea(routes as unknown as Routes, [], { scope: where })
    expect(await forge.mint(request, never)).toMatchObject({ kind: 'minted' })
  })
})

describe('the list of jobs', () => {
  const queued = {
    id: 7,
    run_id: 70,
    run_attempt: 0,
    name: 'build',
    labels: ['linux'],
    status: 'queued',
    url: 'http://gitea/api/v1/repos/acme/shop/actions/jobs/7',
  }
  const asked = { installation: 'gitea', since: 0, settledRuns: new Set<number>() }
  const none = { '/api/v1/admin/actions/runs': [200, { total_count: 0, workflow_runs: [] }] } as const
  const jobs = (list: readonly object[], total = list.length) =>
    [200, { total_count: total, jobs: list }] as const

  it('fails as a whole where it ends before its count', async () => {
    const { forge } = await gitea({ ...none, '/api/v1/admin/actions/jobs': jobs([queued], 2) })
    const error = await forge.listJobs(asked, never).catch((reason: unknown) => reason)
    expect(isError(error, 'E_FORGE_UNAVAILABLE')).toBe(true)
  })

  it('is read from each repository that the token manages, where it is not an administrator’s', async () => {
    const repository = (name: string, admin: boolean, has_actions = true) => ({
      id: name.length,
      full_name: `acme/${name}`,
      has_actions,
      permissions: { admin },
    })
    const { forge } = await gitea({
      '/api/v1/admin/actions/jobs': [403, { message: 'Only for administrators' }],
      '/api/v1/user/repos?limit=50&page=1': [
        200,
        [repository('shop', true), repository('reader', false), repository('silent', true, false)],
      ],
      '/api/v1/user/repos?limit=50&page=2': [200, []],
      '/api/v1/repos/acme/shop/actions/jobs': jobs([queued]),
      '/api/v1/repos/acme/shop/actions/runs': [200, { total_count: 0, workflow_runs: [] }],
    })
    expect((await forge.listJobs(asked, never)).events.map((event) => event.job.forgeJobId)).toEqual([7])
  })

  it('gives a new number to a job that the ledger ended and Gitea has queued again', async () => {
    const given = { endedBefore: async (id: number) => id === 7 }
    const { forge } = await gitea({ ...none, '/api/v1/admin/actions/jobs': jobs([queued]) }, [], given)
    expect((await forge.listJobs(asked, never)).events).toMatchObject([
      { job: { forgeJobId: 1_000_000_000_007, runAttempt: 2 } },
    ])
  })

  describe('with runs that ended', () => {
    const runsPath = '/api/v1/repos/acme/shop/actions/runs'
    const run = (id: number, repository = 'acme/shop') => ({
      id,
      status: 'completed',
      completed_at: '2026-01-02T00:00:00Z',
      url: `http://gitea/api/v1/repos/${repository}/actions/runs/${id}`,
    })
    const runs = (...list: readonly object[]) =>
      [200, { total_count: list.length, workflow_runs: list }] as const
    const ended = { ...queued, status: 'completed', conclusion: 'success', run_id: 71 }
    const base = {
      '/api/v1/admin/actions/jobs': jobs([]),
      '/api/v1/admin/actions/runs?limit=50&page=2': runs(),
      [`${runsPath}/71/jobs`]: jobs([ended]),
      [runsPath]: runs(),
    }

    it('skips a run that was deleted meanwhile, and reads the others', async () => {
      const { forge } = await gitea({ ...base, '/api/v1/admin/actions/runs': runs(run(70), run(71)) })
      const listed = await forge.listJobs(asked, never)
      expect(listed.events.map((event) => event.job.forgeJobId)).toEqual([7])
      expect(listed).toMatchObject({ runsGone: 1, notCovered: [] })
    })

    it('reports a repository that is hidden now, reads the others, and reads it in full later', async () => {
      const other = 'acme/closed'
      const routes = { ...base, '/api/v1/admin/actions/runs': runs(run(80, other), run(71)) }
      const { forge } = await gitea(routes)
      const listed = await forge.listJobs(asked, never)
      expect(listed.events.map((event) => event.job.forgeJobId)).toEqual([7])
      expect(listed).toMatchObject({ runsGone: 0, notCovered: [other], read: [] })
      const again = await gitea({
        ...routes,
        [`/api/v1/repos/${other}/actions/runs/80/jobs`]: jobs([{ ...ended, id: 8, run_id: 80 }]),
      })
      const later = Date.parse('2026-02-01T00:00:00Z')
      const held = { ...asked, since: later, settledRuns: new Set([80]), heldBack: new Map([[other, 0]]) }
      const second = await again.forge.listJobs(held, never)
      expect(second.events.map((event) => event.job.forgeJobId)).toEqual([8])
      expect(second).toMatchObject({ notCovered: [], read: [other] })
    })

    it('fails as a whole where the jobs of one cannot be read for another reason', async () => {
      const failing = { [`${runsPath}/70/jobs`]: [500, {}] } as const
      const { forge } = await gitea({
        ...base,
        ...failing,
        '/api/v1/admin/actions/runs': runs(run(70), run(71)),
      })
      const error = await forge.listJobs(asked, never).catch((reason: unknown) => reason)
      expect(isError(error, 'E_FORGE_UNAVAILABLE')).toBe(true)
    })
  })

  it('leaves out jobs that wait for others', async () => {
    const waiting = { ...queued, id: 8, status: 'waiting' }
    const { forge } = await gitea({ ...none, '/api/v1/admin/actions/jobs': jobs([queued, waiting]) })
    expect((await forge.listJobs(asked, never)).events).toHaveLength(1)
  })
})

describe('a job that was run again', () => {
  const path = '/api/v1/repos/acme/shop/actions/jobs/7'
  const second = {
    id: 7,
    run_id: 70,
    run_attempt: 2,
    name: 'build',
    labels: [],
    status: 'in_progress',
    runner_id: 9,
    runner_name: 'r-9',
    url: '',
  }

  it('has ended as its first attempt, and runs as its second', async () => {
    const { forge } = await gitea({ [path]: [200, second] })
    expect(await forge.readJob(scope, 7, never)).toMatchObject({ status: 'completed', conclusion: null })
    expect(await forge.readJob(scope, 1_000_000_000_007, never)).toMatchObject({
      status: 'in_progress',
      runnerName: 'r-9',
      job: { forgeJobId: 1_000_000_000_007, runAttempt: 2 },
    })
    expect(await forge.rerunJob(scope, 7, never)).toMatchObject({ kind: 'refused' })
  })

  it('is a job of its own with its own id where each attempt has jobs (1.27)', async () => {
    const rerun = 'POST /api/v1/repos/acme/shop/actions/runs/70/jobs/7/rerun'
    const { forge } = await gitea({
      '/api/v1/version': [200, { version: '1.27.3' }],
      [path]: [200, second],
      [rerun]: [201, {}],
    })
    expect(await forge.readJob(scope, 7, never)).toMatchObject({
      status: 'in_progress',
      runnerName: 'r-9',
      job: { forgeJobId: 7, runAttempt: 2 },
    })
    expect(await forge.rerunJob(scope, 7, never)).toEqual({ kind: 'done' })
  })
})

describe('a missing object', () => {
  it('does not prove that a job is gone, while the repository itself cannot be read', async () => {
    const { forge } = await gitea({})
    const error = await forge.readJob(scope, 7, never).catch((reason: unknown) => reason)
    expect(isError(error, 'E_FORGE_UNAVAILABLE')).toBe(true)
  })

  it('makes a repository unreachable where its Actions are off or the token does not administer it', async () => {
    const repository = { id: 1, full_name: 'acme/shop' }
    const { forge } = await gitea({
      '/api/v1/repos/acme/shop': [200, { ...repository, has_actions: false }],
      '/api/v1/repos/acme/site': [200, { ...repository, has_actions: true, permissions: { admin: false } }],
      '/api/v1/repos/acme/good': [200, { ...repository, has_actions: true, permissions: { admin: true } }],
    })
    const names = ['acme/shop', 'acme/site', 'acme/good', 'acme/none']
    expect(await forge.unreachable('gitea', reached(...names), never)).toMatchObject([
      { repository: 'acme/shop', incident: 'actions-disabled' },
      { repository: 'acme/site', incident: 'repository-not-covered' },
      { repository: 'acme/none', incident: 'repository-not-covered' },
    ])
  })
})

describe('the origin of a run at Gitea', () => {
  const repository = { id: 1, private: false }
  const pull = { event: 'pull_request', repository }
  const from = (id: number) => ({ pull_requests: [{ head: { repo: { id } } }] })

  it.each([
    ['a push', { event: 'push', repository }, { visibility: 'public', isFork: false }],
    ['a pull request of a fork', { ...pull, ...from(2) }, { visibility: 'public', isFork: true }],
    [
      'a pull request that names the base, as that of a deleted fork does',
      { ...pull, ...from(1) },
      { visibility: 'public' },
    ],
    ['a pull request of a release that does not say', pull, { visibility: 'public' }],
    ['nothing that is known', {}, {}],
  ])('is read of %s', async (_, run, origin) => {
    const { forge } = await gitea({ '/api/v1/repos/acme/shop/actions/runs/70': [200, { id: 70, ...run }] })
    expect(await forge.readOrigin(scope, 70, never)).toEqual(origin)
  })
})

async function gitea(given: Routes, seen: Seen[] = [], more: Partial<GiteaOptions> = {}) {
  const routes = { '/api/v1/version': [200, { version: '1.26.0' }], ...given } as Routes
  const url = (await answering(routed(routes, seen))).replace(/\/$/, '')
  const { forge } = createGitea({
    url,
    token: () => 'api-token',
    installation: 'gitea',
    scope: 'repository',
    timeoutMs: 1_000,
    clock,
    webhookSecrets: () => [],
    endedBefore: async () => false,
    log: recordedLog(),
    ...more,
  })
  return { forge, url }
}
