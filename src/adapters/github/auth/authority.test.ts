import { generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { github, type Routes, routed, type Seen } from '../../../../test/contract/github/answering.ts'
import { clock } from '../../../../test/support/machine.ts'
import { reached } from '../../../../test/support/reached.ts'
import type { GitHubOptions } from '../index.ts'

const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const never = new AbortController().signal
const scope = { installation: 'gh', repository: 'acme/shop' }
const order = { scope, name: 'r-1', labels: ['linux'] }
const minted = [201, { runner: { id: 5 }, encoded_jit_config: 'abc' }] as const
const mintPath = 'POST /repos/acme/shop/actions/runners/generate-jitconfig'
const tokenPath = (id: number) => `POST /app/installations/${id}/access_tokens`
const hour = 60 * 60_000

const installations = [
  { id: 11, account: { login: 'Acme' }, suspended_at: null },
  { id: 12, account: { login: 'globex' }, suspended_at: null },
  { id: 13, account: { slug: 'conglomerate' }, suspended_at: null },
]

/** The App over these routes; every token is new, and its life is `lifeMs`. */
async function app(
  given: Routes = {},
  options: Partial<GitHubOptions> & { lifeMs?: number; only?: number } = {},
) {
  const { lifeMs = hour, only, ...rest } = options
  const seen: Seen[] = []
  let made = 0
  const token = () => {
    made += 1
    const expires_at = new Date(clock.now() + lifeMs).toISOString()
    return [201, { token: `ghs_${made}`, expires_at }] as const
  }
  const routes: Routes = {
    '/app/installations': [200, installations],
    [tokenPath(11)]: token,
    [tokenPath(12)]: token,
    [tokenPath(13)]: token,
    [mintPath]: minted,
    [mintPath.replace('acme', 'ACME')]: minted,
    ...given,
  }
  const ours = await github(routed(routes, seen), {
    credentials: {
      kind: 'app',
      id: () => '4242',
      privateKey: () => keys.privateKey,
      ...(only !== undefined && { installationId: only }),
    },
    ...rest,
  })
  const count = (route: string) => seen.filter((each) => each.route === route).length
  const bearers = (route: string) =>
    seen.filter((each) => each.route === route).map(({ headers }) => headers.authorization)
  return { ...ours, seen, count, bearers }
}

describe('an App', () => {
  it("authenticates with a JWT signed by its key, and calls with its installation's token", async () => {
    const { forge, bearers } = await app()
    expect((await forge.mint(order, never)).kind).toBe('minted')
    const [bearer = ''] = bearers(tokenPath(11))
    const [header = '', claims = '', signature = ''] = bearer.replace('Bearer ', '').split('.')
    const parsed = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    expect(parsed(header)).toEqual({ alg: 'RS256', typ: 'JWT' })
    const { iat, exp, iss } = parsed(claims)
    expect([iss, exp - iat]).toEqual(['4242', 540])
    expect(Math.abs(clock.now() / 1000 - 60 - iat)).toBeLessThan(30)
    const signed = Buffer.from(`${header}.${claims}`)
    expect(verify('RSA-SHA256', signed, keys.publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
    expect(bearers(mintPath)).toEqual(['Bearer ghs_1'])
  })

  it('creates one token for all concurrent and later callers', async () => {
    const { forge, count } = await app()
    await Promise.all([1, 2, 3, 4].map((n) => forge.mint({ ...order, name: `r-${n}` }, never)))
    await forge.mint(order, never)
    expect([count(tokenPath(11)), count('GET /app/installations'), count(mintPath)]).toEqual([1, 1, 5])
  })

  it('renews a token some minutes before it expires, and not earlier', async () => {
    const short = await app({}, { lifeMs: 5 * 60_000 - 1000 })
    const long = await app({}, { lifeMs: 5 * 60_000 + 60_000 })
    for (const { forge } of [short, long]) {
      await forge.mint(order, never)
      await forge.mint(order, never)
    }
    expect([short.count(tokenPath(11)), long.count(tokenPath(11))]).toEqual([2, 1])
  })

  it('does not create a token for each call where our clock is hours ahead of that of the forge', async () => {
    const ahead = { ...clock, now: () => clock.now() + 3 * hour }
    const { forge, count } = await app({}, { clock: ahead })
    await forge.mint(order, never)
    await forge.mint({ ...order, name: 'r-2' }, never)
    expect(count(tokenPath(11))).toBe(1)
  })

  it('serves its owners although the account of another installation is gone', async () => {
    const orphaned = [{ id: 14, account: null, suspended_at: null }, ...installations]
    const { forge } = await app({ '/app/installations': [200, orphaned] })
    expect(await forge.mint(order, never)).toMatchObject({ kind: 'minted' })
  })

  it('goes on loading a token for other callers when one of them gives up', async () => {
    const caller = new AbortController()
    const { forge, count } = await app({
      [tokenPath(11)]: () => {
        caller.abort(new Error('enough'))
        return [201, { token: 'ghs_1', expires_at: new Date(clock.now() + hour).toISOString() }]
      },
    })
    const [one, other] = await Promise.allSettled([
      forge.mint(order, caller.signal),
      forge.mint(order, never),
    ])
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'E_FORGE_UNAVAILABLE' } })
    expect(other).toMatchObject({ status: 'fulfilled', value: { kind: 'minted' } })
    expect(count(tokenPath(11))).toBe(1)
  })

  it('replaces a rejected token once', async () => {
    let refusals = 1
    const { forge, bearers } = await app({
      [mintPath]: () => {
        refusals -= 1
        return refusals >= 0 ? [401, { message: 'Bad credentials' }] : minted
      },
    })
    expect((await forge.mint(order, never)).kind).toBe('minted')
    expect(bearers(mintPath)).toEqual(['Bearer ghs_1', 'Bearer ghs_2'])
    refusals = 9
    expect(await forge.mint(order, never)).toMatchObject({ incident: 'credentials-refused' })
    expect(bearers(mintPath)).toHaveLength(4)
  })

  it('finds the installation by the owner, whatever its case, and calls each with its own token', async () => {
    const other = 'POST /repos/globex/site/actions/runners/generate-jitconfig'
    const { forge, bearers } = await app({ [other]: minted })
    await forge.mint({ ...order, scope: { ...scope, repository: 'ACME/shop' } }, never)
    await forge.mint({ ...order, scope: { ...scope, repository: 'globex/site' } }, never)
    expect([...bearers(mintPath.replace('acme', 'ACME')), ...bearers(other)]).toEqual([
      'Bearer ghs_1',
      'Bearer ghs_2',
    ])
  })

  it('reports a repository as not covered where the App is not installed at its owner', async () => {
    const { forge } = await app()
    const strange = { installation: 'gh', repository: 'stranger/shop' }
    expect(await forge.mint({ ...order, scope: strange }, never)).toEqual({
      kind: 'refused',
      concerns: 'repository',
      incident: 'repository-not-covered',
      reason: 'The App is not installed at stranger.',
      retryAfterMs: 600_000,
    })
    await expect(forge.readJob(strange, 1, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
  })

  it('reads a list of installations of several pages to its end', async () => {
    const many = Array.from({ length: 100 }, (_, n) => ({ id: 1000 + n, account: { login: `org-${n}` } }))
    const { forge, seen } = await app({
      '/app/installations?per_page=100&page=1': [200, many],
      '/app/installations?per_page=100&page=2': [200, installations],
    })
    expect((await forge.mint(order, never)).kind).toBe('minted')
    expect(seen.filter(({ url }) => url.startsWith('/app/installations?'))).toHaveLength(2)
  })

  it('serves one installation without asking for the others where the settings name it', async () => {
    const { forge, count } = await app({}, { only: 12 })
    expect((await forge.mint(order, never)).kind).toBe('minted')
    expect([count(tokenPath(12)), count('GET /app/installations')]).toEqual([1, 0])
  })

  it('finds an installation that replaced another at once', async () => {
    let id = 11
    const { forge } = await app({
      '/app/installations': () => [200, [{ id, account: { login: 'acme' } }]],
      [tokenPath(11)]: () => [404, { message: 'Not Found' }],
    })
    expect(await forge.mint(order, never)).toMatchObject({ incident: 'installation-suspended' })
    id = 12
    expect((await forge.mint(order, never)).kind).toBe('minted')
  })

  it('lists the jobs of its other installations where one denies access', async () => {
    const message = 'your IP address is not permitted to access this resource'
    const isFirst = (authorization = '') => authorization.endsWith('ghs_1')
    const { forge } = await app({
      '/app/installations': [200, installations.slice(0, 2)],
      '/installation/repositories': ({ headers }) =>
        isFirst(headers.authorization)
          ? [403, { message }]
          : [200, { total_count: 1, repositories: [{ id: 1, full_name: 'globex/site' }] }],
      '/repos/globex/site/actions/runs': [200, { total_count: 0, workflow_runs: [] }],
    })
    const asked = { installation: 'gh', since: 0, settledRuns: new Set<number>() }
    expect((await forge.listJobs(asked, never)).events).toEqual([])
    const judged = await forge.unreachable('gh', reached('acme/shop', 'globex/site'), never)
    expect(judged).toMatchObject([{ repository: 'acme/shop', incident: 'ip-not-allowed' }])
  })

  it('fails to list jobs where its only installation denies access', async () => {
    const { forge } = await app({
      '/app/installations': [200, installations.slice(0, 1)],
      '/installation/repositories': [403, { message: 'your IP address is not permitted to access' }],
    })
    const asked = { installation: 'gh', since: 0, settledRuns: new Set<number>() }
    await expect(forge.listJobs(asked, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
  })

  const refusals = [
    ['is suspended', 403, 'This installation has been suspended', 'installation-suspended'],
    ['is gone', 404, 'Not Found', 'installation-suspended'],
    ['is asked with a key that GitHub does not know', 401, 'could not be decoded', 'credentials-refused'],
  ] as const
  for (const [what, status, message, incident] of refusals) {
    it(`reports as an incident of the account that its installation ${what}`, async () => {
      const { forge } = await app({ [tokenPath(11)]: [status, { message }] })
      expect(await forge.mint(order, never)).toMatchObject({ kind: 'refused', concerns: 'account', incident })
      await expect(forge.readJob(scope, 7, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
    })
  }

  it('reports a refusal to list its installations as refused credentials', async () => {
    const { forge } = await app({ '/app/installations': [401, { message: 'Integration not found' }] })
    expect(await forge.mint(order, never)).toMatchObject({ incident: 'credentials-refused' })
  })
})

describe('credentials', () => {
  it('are read again at each use, so that a replaced secret takes effect at once', async () => {
    const seen: Seen[] = []
    let token = 'ghp_old'
    const credentials = { kind: 'token', token: () => token } as const
    const { forge } = await github(routed({ [mintPath]: minted }, seen), { credentials })
    await forge.mint(order, never)
    token = 'ghp_new\n'
    await forge.mint(order, never)
    const sent = seen.map(({ headers }) => headers.authorization)
    expect(sent).toEqual(['Bearer ghp_old', 'Bearer ghp_new'])
  })

  it('of a new App are not used together with tokens of the former App', async () => {
    let id = '1'
    const credentials = { kind: 'app', id: () => id, privateKey: () => keys.privateKey } as const
    const { forge, count } = await app({}, { credentials })
    await forge.mint(order, never)
    id = '2'
    await forge.mint(order, never)
    expect([count(tokenPath(11)), count('GET /app/installations')]).toEqual([2, 2])
  })

  const unusable = [
    ['a token that is empty', { kind: 'token', token: () => ' \n' }, 'forge.token is empty'],
    ['a token of two lines', { kind: 'token', token: () => 'hidden-a\nhidden-b' }, 'forge.token holds'],
    [
      'a key that is none',
      { kind: 'app', id: () => '1', privateKey: () => 'hidden-key' },
      'forge.app.privateKey is not',
    ],
    [
      'a file that cannot be read',
      {
        kind: 'token',
        token: () => {
          throw new Error('EACCES: permission denied')
        },
      },
      'forge.token cannot be read: EACCES',
    ],
  ] as const
  for (const [what, credentials, reason] of unusable) {
    it(`such as ${what} are an incident that names the setting and no secret`, async () => {
      const seen: Seen[] = []
      const { forge } = await github(routed({}, seen), { credentials })
      const refused = await forge.mint(order, never)
      expect(refused).toMatchObject({
        incident: 'credentials-refused',
        reason: expect.stringContaining(reason),
      })
      expect(JSON.stringify(refused)).not.toContain('hidden')
      expect(seen).toEqual([])
    })
  }
})
