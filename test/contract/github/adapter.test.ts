import { adapterSites } from './adapter-sites.ts'

// Above all others: what is imported after it is counted.

import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { type Received, startReceiver } from '../../../sim/forge/testing/kit.ts'
import { apiUrl, type RunnerScope } from '../../../src/adapters/github/index.ts'
import { reached } from '../../support/reached.ts'
import { untilTestEnds } from '../../support/until-test-ends.ts'
import { deliveriesContract } from '../forge/deliveries.ts'
import { forgeContract } from '../forge/index.ts'
import { type OverHttp, type OverHttpOptions, overHttp } from '../forge/over-http.ts'
import { callSitesWritten } from './call-sites.ts'
import { installation as installationId } from './forge.ts'
import { adapter, watchCalls } from './watch.ts'

const adapterFolder = fileURLToPath(new URL('../../../src/adapters/github', import.meta.url))
const never = new AbortController().signal
const labels = ['self-hosted', 'linux']
const repository = 'acme/shop'
let origin = ''
const watch = watchCalls(() => origin)

afterEach(() => {
  expect(watch.takeDifferences()).toEqual([])
})
afterAll(() => {
  watch[Symbol.dispose]()
  adapterSites.close()
})

async function watched(options?: OverHttpOptions): Promise<OverHttp> {
  const under = await overHttp('simulated', options)
  origin = new URL(under.url).origin
  return under
}
const forTest = async (options?: OverHttpOptions) => untilTestEnds(await watched(options))

forgeContract("the GitHub adapter over HTTP with a token, judged by GitHub's description", () => watched())

forgeContract("as an App with its organisation's runners, as on a server of one's own", () =>
  watched({
    app: 'all',
    scope: { kind: 'organisation', runnerGroup: 'Default' },
    prefix: new URL(apiUrl('http://127.0.0.1')).pathname,
  }),
)

for (const [who, app] of [
  ["the App's hook", 'all'],
  ["repositories' own hooks", undefined],
] as const) {
  deliveriesContract(`${who} over HTTP`, async (answers) => {
    const receiver = await startReceiver(answers)
    const under = await watched({ ...(app && { app }), webhookUrl: receiver.url })
    return {
      deliveries: under.deliveries,
      send: async () => {
        await under.submit({ repository, name: 'build', labels })
      },
      received: async (count) => {
        await receiver.count(count)
        return receiver.received.map(({ headers }: Received) => headers['x-github-delivery'] ?? '')
      },
      async [Symbol.asyncDispose]() {
        await under[Symbol.asyncDispose]()
        await receiver[Symbol.asyncDispose]()
      },
    }
  })
}

describe('an App', () => {
  const submitTo = async (under: OverHttp, name = repository) =>
    under.submit({ repository: name, name: 'build', labels })
  const mint = (under: OverHttp, name = repository) =>
    under.forge.mint({ scope: { installation: 'simulated', repository: name }, name: 'r-1', labels }, never)

  it('that serves one installation sees what that one covers', async () => {
    const under = await forTest({ app: installationId })
    await submitTo(under)
    const asked = { installation: 'simulated', since: 0, settledRuns: new Set<number>() }
    expect((await under.forge.listJobs(asked, never)).events).toHaveLength(1)
    expect((await mint(under)).kind).toBe('minted')
  })

  it('lists what there is besides a run that was deleted after it was listed', async () => {
    const under = await forTest({ app: 'all' })
    const [gone] = [await submitTo(under), await submitTo(under)]
    const run = (await under.forge.readJob({ installation: 'simulated', repository }, gone, never))?.job.runId
    const rest = { count: 1, do: 'fail', status: 404, match: `/runs/${run}/jobs` }
    await under.calls.send('POST', '/_sim/faults', { rest })
    const asked = { installation: 'simulated', since: 0, settledRuns: new Set<number>() }
    expect(await under.forge.listJobs(asked, never)).toMatchObject({
      events: { length: 1 },
      read: [repository],
      notCovered: [],
      runsGone: 1,
    })
  })

  it('goes on with a fresh token where its tokens were revoked', async () => {
    const under = await forTest({ app: 'all' })
    await submitTo(under)
    expect((await mint(under)).kind).toBe('minted')
    await under.calls.send('DELETE', '/_sim/tokens')
    expect(
      await under.forge.findRunner({ installation: 'simulated', repository }, 'r-1', never),
    ).not.toBeNull()
  })

  it('that was suspended says so, and goes on when it is not', async () => {
    const under = await forTest({ app: 'all' })
    await submitTo(under)
    await under.calls.send('POST', '/_sim/installation', { suspended: true })
    expect(await mint(under)).toMatchObject({ concerns: 'account', incident: 'installation-suspended' })
    expect(await under.forge.unreachable('simulated', reached(repository), never)).toMatchObject([
      { incident: 'installation-suspended' },
    ])
    await under.calls.send('POST', '/_sim/installation', { suspended: false })
    expect((await mint(under)).kind).toBe('minted')
  })

  it('knows its installations by their owners', async () => {
    const under = await forTest({ app: 'all' })
    await under.calls.send('POST', '/_sim/installations', { account: 'globex' })
    await submitTo(under, 'globex/site')
    await submitTo(under)
    expect((await mint(under, 'globex/site')).kind).toBe('minted')
    expect(await mint(under)).toMatchObject({ incident: 'repository-not-covered' })
  })
})

describe('facts for a snapshot', () => {
  it.each([
    ['a token', undefined],
    ['an App', 'all' as const],
  ])('are read with %s', async (_, app) => {
    const under = await forTest({ ...(app && { app }) })
    const id = await under.submit({ repository, name: 'build', labels })
    const scope = { installation: 'simulated', repository }
    const minted = await under.forge.mint({ scope, name: 'r-1', labels }, never)
    if (minted.kind !== 'minted') throw new Error(minted.reason)
    const runner = await under.connect(minted.jit, 'program')
    await runner?.take()
    await runner?.finish(id, 'failure')
    const { facts, requests } = await under.facts.readForgeFacts(
      {
        runnerScopes: ['acme', repository],
        isCoveredWanted: false,
        repositories: null,
        since: 0,
        runs: [],
        jobs: [{ repository, jobId: id }],
        callsMax: 100,
      },
      never,
    )
    expect(Object.values(facts).flatMap(({ unread }) => unread)).toEqual([])
    expect(facts.jobs.items).toMatchObject([{ jobId: id, steps: { length: 3 }, annotations: [] }])
    expect(facts.logs.items).toHaveLength(1)
    expect(facts.budgets.items).toHaveLength(1)
    expect(requests).toBeGreaterThan(5)
  })
})

describe('what only a person can lift', () => {
  const refusals = [
    ['runners-disabled', 'runners-disabled'],
    ['actions-disabled', 'actions-disabled'],
    ['ip-not-allowed', 'ip-not-allowed'],
    ['not-in-installation', 'repository-not-covered'],
  ] as const
  for (const [what, incident] of refusals) {
    it(`is recognised and over when it is lifted: ${what}`, async () => {
      const under = await forTest({ app: 'all' })
      await under.submit({ repository, name: 'build', labels })
      const scope = { installation: 'simulated', repository }
      const mint = () => under.forge.mint({ scope, name: 'r-1', labels }, never)
      await under.calls.send('POST', '/_sim/refusals', { what, of: repository })
      expect(await mint()).toMatchObject({ kind: 'refused', incident, retryAfterMs: 600_000 })
      await under.calls.send('DELETE', '/_sim/refusals')
      expect((await mint()).kind).toBe('minted')
    })
  }
})

describe('runner groups', () => {
  const scope: RunnerScope = { kind: 'organisation', runnerGroup: 'Fast' }
  const order = { scope: { installation: 'simulated', repository }, name: 'r-1', labels }
  const grouped = async (group: object) => {
    const under = await forTest({ app: 'all', scope })
    for (const name of [repository, 'acme/site'])
      await under.submit({ repository: name, name: 'build', labels })
    await under.calls.send('POST', '/_sim/runner-groups', { organization: 'acme', name: 'Fast', ...group })
    return under
  }

  it('that are named in the settings get our runners', async () => {
    const under = await grouped({})
    const minted = await under.forge.mint(order, never)
    if (minted.kind !== 'minted') throw new Error(minted.reason)
    const path = `/orgs/acme/actions/runners/${minted.forgeRunnerId}`
    const { body } = await under.calls.send('GET', path)
    expect(body.runner_group_id).not.toBe(1)
  })

  it('that a pool names get its runners, whatever the settings name', async () => {
    const under = await grouped({})
    await under.calls.send('POST', '/_sim/runner-groups', { organization: 'acme', name: 'Big' })
    const groupOf = async (name: string, runnerGroup?: string) => {
      const minted = await under.forge.mint({ ...order, name, runnerGroup }, never)
      if (minted.kind !== 'minted') throw new Error(minted.reason)
      const path = `/orgs/acme/actions/runners/${minted.forgeRunnerId}`
      return (await under.calls.send('GET', path)).body.runner_group_id
    }
    const [fast, big] = [await groupOf('r-1'), await groupOf('r-2', 'Big')]
    expect(new Set([1, fast, big]).size).toBe(3)
    expect(await groupOf('r-3', 'Fast')).toBe(fast)
    const unknown = await under.forge.mint({ ...order, name: 'r-4', runnerGroup: 'None' }, never)
    expect(unknown).toMatchObject({ concerns: 'job', incident: 'runner-group-unknown' })
  })

  it('that do not exist, or are full, are an incident', async () => {
    const unknown = await forTest({ app: 'all', scope: { ...scope, runnerGroup: 'None' } })
    await unknown.submit({ repository, name: 'build', labels })
    expect(await unknown.forge.mint(order, never)).toMatchObject({ incident: 'runner-group-unknown' })
    const full = await grouped({ runnersMax: 0 })
    expect(await full.forge.mint(order, never)).toMatchObject({ incident: 'runner-group-full' })
  })

  it('that serve other repositories are reported before a job waits for ever', async () => {
    const under = await grouped({ visibility: 'selected', selected: [repository] })
    const judged = await under.forge.unreachable('simulated', reached(repository, 'acme/site'), never)
    expect(judged).toMatchObject([{ repository: 'acme/site', incident: 'runner-group-excludes' }])
  })

  it('that serve only some of the pools of a repository are reported, and do not hold it back', async () => {
    const under = await grouped({ visibility: 'selected', selected: [] })
    const judge = (...runnerGroups: (string | null)[]) =>
      under.forge.unreachable('simulated', [{ repository, runnerGroups }], never)
    const excludes = { repository, incident: 'runner-group-excludes' }
    expect(await judge('Fast')).toEqual([{ ...excludes, reason: expect.any(String) }])
    expect(await judge('Default')).toEqual([])
    expect(await judge('Default', 'Fast')).toMatchObject([{ ...excludes, isInPart: true }])
  })

  it('that serve no public repository are reported too', async () => {
    const under = await grouped({ allowsPublicRepositories: false })
    await under.calls.send('POST', '/_sim/repositories', { repository: 'acme/open', public: true })
    const judged = await under.forge.unreachable('simulated', reached(repository, 'acme/open'), never)
    expect(judged).toMatchObject([{ repository: 'acme/open', incident: 'runner-group-excludes' }])
  })

  it('are not asked for where the owner is a person', async () => {
    const under = await grouped({})
    await under.calls.send('POST', '/_sim/owners', { login: 'acme', type: 'User' })
    expect((await under.forge.mint(order, never)).kind).toBe('minted')
    const { body } = await under.calls.send('GET', `/repos/${repository}/actions/runners`)
    expect(body.total_count).toBe(1)
  })
})

describe('an enterprise', () => {
  it('has runners that serve all its organisations', async () => {
    const scope: RunnerScope = { kind: 'enterprise', enterprise: 'conglomerate', runnerGroup: 'Default' }
    const under = await forTest({ scope })
    await under.calls.send('POST', '/_sim/enterprises', { enterprise: 'conglomerate' })
    const id = await under.submit({ repository, name: 'build', labels })
    const where = { installation: 'simulated', repository }
    const minted = await under.forge.mint({ scope: where, name: 'r-1', labels }, never)
    if (minted.kind !== 'minted') throw new Error(minted.reason)
    expect(await (await under.connect(minted.jit, 'program'))?.take()).toBe(id)
    expect(await under.forge.findRunner(where, 'r-1', never)).toMatchObject({ busy: true })
    expect(await under.forge.removeRunner(where, minted.forgeRunnerId, never)).toBe('busy')
    expect(await under.forge.unreachable('simulated', reached(repository), never)).toEqual([])
  })

  it('has groups that serve some of its organisations', async () => {
    const scope: RunnerScope = { kind: 'enterprise', enterprise: 'conglomerate', runnerGroup: 'Fast' }
    const under = await forTest({ scope })
    const group = { enterprise: 'conglomerate', name: 'Fast', visibility: 'selected', selected: ['globex'] }
    await under.calls.send('POST', '/_sim/enterprises', { enterprise: 'conglomerate' })
    await under.calls.send('POST', '/_sim/runner-groups', group)
    for (const name of [repository, 'globex/site'])
      await under.submit({ repository: name, name: 'a', labels })
    const judged = await under.forge.unreachable('simulated', reached(repository, 'globex/site'), never)
    expect(judged).toMatchObject([{ repository, incident: 'runner-group-excludes' }])
  })
})

it('the contract reached every call to GitHub that stands in the adapter', () => {
  const sites = adapterSites.sites()
  expect(sites.length).toBe(callSitesWritten(adapterFolder))
  expect(sites.length).toBeGreaterThanOrEqual(20)
  expect(sites.filter(({ isReached }) => !isReached).map(({ where }) => where)).toEqual([])
})

it('every call that the adapter made is one that GitHub describes', () => {
  const made = watch.calls.filter(({ userAgent }) => userAgent === adapter)
  expect(made.length).toBeGreaterThan(50)
  expect(made.filter(({ operation }) => operation === null)).toEqual([])
})
