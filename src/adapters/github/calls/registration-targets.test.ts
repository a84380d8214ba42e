import { describe, expect, it } from 'vitest'
import { github, type Routes, routed, type Seen } from '../../../../test/contract/github/answering.ts'
import { reached as asking } from '../../../../test/support/reached.ts'
import type { RunnerScope } from './registration-targets.ts'

const never = new AbortController().signal
const scope = { installation: 'gh', repository: 'acme/shop' }
const order = { scope, name: 'r-1', labels: ['linux'] }
const minted = [201, { runner: { id: 5 }, encoded_jit_config: 'abc' }] as const
const organisation: RunnerScope = { kind: 'organisation', runnerGroup: 'Fast' }
const enterprise: RunnerScope = { kind: 'enterprise', enterprise: 'big co', runnerGroup: 'Default' }
const listed = (key: string, items: readonly unknown[]) =>
  [200, { total_count: items.length, [key]: items }] as const
const group = { id: 1, name: 'Default', visibility: 'all', allows_public_repositories: false }
const fast = { ...group, id: 9, name: 'Fast' }
const org: Routes = {
  '/repos/acme/shop': [200, { owner: { type: 'Organization' } }],
  '/repos/acme/site': [200, { owner: { type: 'Organization' } }],
  '/orgs/acme/actions/runner-groups': listed('runner_groups', [group, fast]),
  'POST /orgs/acme/actions/runners/generate-jitconfig': minted,
}

async function at(runnerScope: RunnerScope, routes: Routes) {
  const seen: Seen[] = []
  const ours = await github(routed(routes, seen), { scope: runnerScope })
  const bodies = () => seen.filter(({ body }) => body !== '').map(({ body }) => JSON.parse(body))
  return { ...ours, seen, bodies, routes: () => seen.map(({ route }) => route) }
}

describe('runners of an organisation', () => {
  it('are minted in the group of the settings, and the id of the group is read once', async () => {
    const { forge, routes, bodies } = await at(organisation, org)
    await forge.mint(order, never)
    await forge.mint({ ...order, scope: { ...scope, repository: 'acme/site' } }, never)
    expect(routes()).toEqual([
      'GET /repos/acme/shop',
      'GET /orgs/acme/actions/runner-groups',
      'POST /orgs/acme/actions/runners/generate-jitconfig',
      'POST /orgs/acme/actions/runners/generate-jitconfig',
    ])
    expect(bodies().map((body) => body.runner_group_id)).toEqual([9, 9])
  })

  it('are found and removed where they were minted', async () => {
    const runner = { id: 3, name: 'r-1', status: 'online', busy: false }
    const { forge } = await at(organisation, {
      ...org,
      '/orgs/acme/actions/runners': listed('runners', [runner]),
      'DELETE /orgs/acme/actions/runners/3': [204],
    })
    expect(await forge.findRunner(scope, 'r-1', never)).toMatchObject({ id: 3 })
    expect(await forge.removeRunner(scope, 3, never)).toBe('removed')
    expect(await forge.removeRunner(scope, 4, never)).toBe('absent')
  })

  it('are registered at the repository where the owner is a user account', async () => {
    const { forge, bodies, routes } = await at(organisation, {
      '/repos/acme/shop': [200, { owner: { type: 'User' } }],
      'POST /repos/acme/shop/actions/runners/generate-jitconfig': minted,
    })
    expect((await forge.mint(order, never)).kind).toBe('minted')
    expect((await forge.mint(order, never)).kind).toBe('minted')
    expect(bodies()[0].runner_group_id).toBe(1)
    expect(routes().filter((route) => route.startsWith('GET'))).toEqual(['GET /repos/acme/shop'])
  })

  it('are an incident where the group does not exist, until it does', async () => {
    let groups = [group]
    const { forge } = await at(organisation, {
      ...org,
      '/orgs/acme/actions/runner-groups': () => listed('runner_groups', groups),
    })
    expect(await forge.mint(order, never)).toMatchObject({
      kind: 'refused',
      concerns: 'account',
      incident: 'runner-group-unknown',
      retryAfterMs: 600_000,
      reason: 'orgs/acme has no runner group "Fast".',
    })
    groups = [group, fast]
    expect((await forge.mint(order, never)).kind).toBe('minted')
  })

  it('are minted in the group that replaced the one of the same name', async () => {
    let id = 9
    const { forge, bodies } = await at(organisation, {
      ...org,
      '/orgs/acme/actions/runner-groups': () => listed('runner_groups', [{ ...fast, id }]),
      'POST /orgs/acme/actions/runners/generate-jitconfig': () => {
        const isKnown = bodies().at(-1).runner_group_id === id
        return isKnown ? minted : [404, { message: 'Not Found' }]
      },
    })
    await forge.mint(order, never)
    id = 10
    expect((await forge.mint(order, never)).kind).toBe('minted')
    expect(bodies().map((body) => body.runner_group_id)).toEqual([9, 9, 10])
  })

  it('are not minted for ever where GitHub knows neither the group nor the organisation', async () => {
    const minting = 'POST /orgs/acme/actions/runners/generate-jitconfig'
    const { forge, routes } = await at(organisation, { ...org, [minting]: [404, { message: 'Not Found' }] })
    expect(await forge.mint(order, never)).toMatchObject({ incident: 'repository-not-covered' })
    expect(routes().filter((route) => route === minting)).toHaveLength(1)
  })
})

describe('runners of an enterprise', () => {
  it('are minted, found and removed there', async () => {
    const path = '/enterprises/big%20co/actions'
    const { forge, bodies } = await at(enterprise, {
      [`${path}/runner-groups`]: listed('runner_groups', [{ ...group, id: 4 }]),
      [`POST ${path}/runners/generate-jitconfig`]: minted,
      [`${path}/runners`]: listed('runners', []),
      [`DELETE ${path}/runners/3`]: [204],
    })
    expect((await forge.mint(order, never)).kind).toBe('minted')
    expect(bodies()[0].runner_group_id).toBe(4)
    expect(await forge.findRunner(scope, 'r-1', never)).toBeNull()
    expect(await forge.removeRunner(scope, 3, never)).toBe('removed')
  })
})

describe('repositories that no runner of ours reaches', () => {
  const repositories = (...given: object[]): Routes => ({
    ...org,
    '/user/repos': [200, given.map((each, n) => ({ id: n + 1, full_name: 'acme/shop', ...each }))],
  })
  const reached = async (runnerScope: RunnerScope, routes: Routes, names = ['acme/shop']) =>
    (await at(runnerScope, routes)).forge.unreachable('gh', asking(...names), never)

  it('are those that our credentials do not cover', async () => {
    const judged = await reached({ kind: 'repository' }, repositories({ full_name: 'Acme/Shop' }), [
      'acme/shop',
      'acme/site',
    ])
    expect(judged).toEqual([
      {
        repository: 'acme/site',
        incident: 'repository-not-covered',
        reason: 'It is not among the repositories that our credentials cover.',
      },
    ])
  })

  it('are those that the token may not administer, unless runners are registered at the organisation', async () => {
    const routes = repositories({ permissions: { admin: false, pull: true } })
    expect(await reached({ kind: 'repository' }, routes)).toMatchObject([
      { incident: 'repository-not-covered' },
    ])
    expect(await reached(organisation, routes)).toEqual([])
  })

  const excluded = [
    ['public ones, where the group serves none', { private: false }, fast, true],
    [
      'public ones, where the group is for private ones',
      { private: false },
      { ...fast, visibility: 'private', allows_public_repositories: true },
      true,
    ],
    [
      'not private ones, where the group is for them',
      { private: true },
      { ...fast, visibility: 'private' },
      false,
    ],
    [
      'not public ones, where the group serves them',
      { private: false },
      { ...fast, allows_public_repositories: true },
      false,
    ],
    ['those that were not selected', { full_name: 'acme/site' }, { ...fast, visibility: 'selected' }, true],
    ['not those that were selected', {}, { ...fast, visibility: 'selected' }, false],
  ] as const
  for (const [what, repository, itsGroup, isExcluded] of excluded) {
    it(`are ${what}`, async () => {
      const routes = {
        ...repositories(repository),
        '/orgs/acme/actions/runner-groups': listed('runner_groups', [itsGroup]),
        '/orgs/acme/actions/runner-groups/9/repositories': listed('repositories', [
          { id: 1, full_name: 'acme/shop' },
        ]),
      }
      const name = 'full_name' in repository ? repository.full_name : 'acme/shop'
      const judged = await reached(organisation, routes, [name])
      expect(judged.map(({ incident }) => incident)).toEqual(isExcluded ? ['runner-group-excludes'] : [])
    })
  }

  it('are those of organisations for which the group of an enterprise was not selected', async () => {
    const path = '/enterprises/big%20co/actions/runner-groups'
    const routes = {
      ...repositories({}, { full_name: 'globex/site' }),
      [path]: listed('runner_groups', [{ ...group, visibility: 'selected' }]),
      [`${path}/1/organizations`]: listed('organizations', [{ id: 1, login: 'Globex' }]),
    }
    const judged = await reached(enterprise, routes, ['acme/shop', 'globex/site'])
    expect(judged).toMatchObject([{ repository: 'acme/shop', incident: 'runner-group-excludes' }])
  })

  it('are all of an organisation whose group does not exist', async () => {
    const routes = {
      ...repositories({}),
      '/orgs/acme/actions/runner-groups': listed('runner_groups', [group]),
    }
    expect(await reached(organisation, routes)).toMatchObject([{ incident: 'runner-group-unknown' }])
  })

  it('are read once in some minutes, not once a repository', async () => {
    const { forge, routes } = await at(organisation, repositories({}))
    await forge.unreachable('gh', asking('acme/shop', 'acme/a', 'acme/b', 'acme/c', 'acme/d'), never)
    await forge.unreachable('gh', asking('acme/shop'), never)
    expect(routes().filter((route) => route === 'GET /user/repos')).toHaveLength(1)
    expect(routes().filter((route) => route.endsWith('/runner-groups'))).toHaveLength(1)
  })

  it('are unknown, not absent, where the forge does not answer', async () => {
    const { forge } = await at(organisation, { ...repositories({}), '/user/repos': [502, {}] })
    await expect(forge.unreachable('gh', asking('acme/shop'), never)).rejects.toMatchObject({
      code: 'E_FORGE_UNAVAILABLE',
    })
  })
})
