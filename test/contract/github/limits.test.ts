import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { token } from '../../../sim/forge/testing/kit.ts'
import { clock } from '../../support/machine.ts'
import { assertion } from './assertion.ts'
import { type ContractForge, startContractForge } from './forge.ts'
import { type Watch, watchCalls } from './watch.ts'

const repo = '/repos/acme/shop'
let forge: ContractForge
let watch: Watch
let awayMs = 0

beforeAll(() => {
  watch = watchCalls(() => new URL(forge.server.url).origin)
})
beforeEach(async () => {
  awayMs = 0
  forge = await startContractForge({ awayMs: () => awayMs })
})
afterEach(async () => {
  await forge[Symbol.asyncDispose]()
  expect(watch.takeDifferences()).toEqual([])
})
afterAll(() => watch[Symbol.dispose]())

describe('the budget', () => {
  it('goes down with each call, is refused with when it is spent, and comes back', async () => {
    await forge.calls.submit()
    await forge.calls.send('POST', '/_sim/rate-limit', { limit: 100, remaining: 2 })
    const left = async () => (await get('/rate_limit')).body.rate.remaining
    expect(await left()).toBe(2)
    const first = await get(repo)
    expect(first.headers.get('x-ratelimit-remaining')).toBe('1')
    expect(first.headers.get('x-ratelimit-used')).toBe('99')
    expect(await status('GET', repo)).toBe(200)
    for (const code of [403, 429]) {
      await forge.calls.send('POST', '/_sim/rate-limit', { status: code })
      const refused = await get(repo)
      expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([code, '0'])
      expect(refused.body.message).toContain('API rate limit exceeded')
    }
    expect(await left()).toBe(0)
    awayMs = Number((await get('/rate_limit')).headers.get('x-ratelimit-reset')) * 1000 - clock.now() + 1000
    expect(await status('GET', repo)).toBe(200)
  })

  it('is that of each installation for itself', async () => {
    await forge.calls.submit()
    await forge.calls.submit({ repository: 'other/tools' })
    const [acme, other] = [await tokenOf('acme'), await tokenOf('other')]
    await forge.calls.send('POST', '/_sim/rate-limit', { remaining: 0, installation: acme.id })
    const refused = await forge.calls.send('GET', repo, undefined, acme.token)
    expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([403, '0'])
    const path = '/repos/other/tools'
    expect((await forge.calls.send('GET', path, undefined, other.token)).status).toBe(200)
    const { rate } = (await forge.calls.send('GET', '/rate_limit', undefined, other.token)).body
    expect(rate.used).toBe(1)
  })

  it('has a second limit, which says how long to wait', async () => {
    await forge.calls.submit()
    const rest = { count: 2, do: 'secondary-limit', retryAfterSeconds: 7 }
    await forge.calls.send('POST', '/_sim/faults', { rest: { ...rest, count: 1, status: 403 } })
    await forge.calls.send('POST', '/_sim/faults', { rest: { ...rest, count: 1, status: 429 } })
    for (const code of [403, 429]) {
      const refused = await get(repo)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([code, '7'])
      expect(refused.body.message).toContain('exceeded a secondary rate limit')
    }
  })
})

describe('the limit of points', () => {
  const mint = async (n: number, bearer = token) => {
    const order = { name: `r-${n}`, runner_group_id: 1, labels: ['linux'] }
    return forge.calls.send('POST', `${repo}/actions/runners/generate-jitconfig`, order, bearer)
  }

  it('counts a read as one and a write as five, refuses what goes beyond, and is over after a minute', async () => {
    await forge.calls.submit()
    await forge.calls.send('POST', '/_sim/pace', { pointsPerMinute: 12 })
    expect([(await mint(1)).status, (await mint(2)).status]).toEqual([201, 201])
    const refused = await mint(3)
    expect(refused.status).toBe(403)
    expect(refused.body.message).toContain('exceeded a secondary rate limit')
    expect(refused.body.documentation_url).toMatch(/#about-secondary-rate-limits$/)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
    expect(Number(refused.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0)
    expect([await status('GET', repo), await status('GET', repo), await status('GET', repo)]).toEqual([
      200, 200, 403,
    ])
    awayMs = Number(refused.headers.get('retry-after')) * 1000
    expect((await mint(3)).status).toBe(201)
  })

  it('may be refused with 429, and without a retry-after', async () => {
    await forge.calls.submit()
    const pace = { pointsPerMinute: 1, status: 429, saysHowLong: false }
    await forge.calls.send('POST', '/_sim/pace', pace)
    const refused = await mint(1)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null])
    await forge.calls.send('POST', '/_sim/pace', { pointsPerMinute: null })
    expect((await mint(1)).status).toBe(201)
  })

  it('is that of each installation for itself', async () => {
    await forge.calls.submit()
    await forge.calls.submit({ repository: 'other/tools' })
    const [acme, other] = [await tokenOf('acme'), await tokenOf('other')]
    await forge.calls.send('POST', '/_sim/pace', { pointsPerMinute: 5 })
    expect((await mint(1, acme.token)).status).toBe(201)
    expect((await mint(2, acme.token)).status).toBe(403)
    expect((await forge.calls.send('GET', '/repos/other/tools', undefined, other.token)).status).toBe(200)
  })

  it('has calls at once too', async () => {
    await forge.calls.submit()
    await forge.calls.send('POST', '/_sim/pace', { atOnceMax: 1 })
    await forge.calls.send('POST', '/_sim/faults', { rest: { count: 1, do: 'hang', match: 'GET' } })
    const hung = new AbortController()
    const held = fetch(`${forge.server.url}${repo}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: hung.signal,
    }).catch(() => null)
    await expect.poll(async () => (await forge.calls.send('GET', '/_sim/faults')).body.rest.length).toBe(0)
    expect(await status('GET', repo)).toBe(403)
    hung.abort()
    await held
    await expect.poll(() => status('GET', repo)).toBe(200)
  })
})

async function tokenOf(account: string): Promise<{ id: number; token: string }> {
  const { id } = (await forge.calls.send('POST', '/_sim/installations', { account })).body
  const path = `/app/installations/${id}/access_tokens`
  return { id, token: (await forge.calls.send('POST', path, undefined, assertion(clock.now()))).body.token }
}

describe('a list or a thing that did not change', () => {
  it('costs nothing to read again with its tag, until it changes', async () => {
    await forge.calls.submit()
    const first = await get(repo)
    const tag = String(first.headers.get('etag'))
    expect(tag).toMatch(/^W\/"[0-9a-f]{64}"$/)
    const again = await reading(`${repo}/actions/runs`)
    const unchanged = await reading(`${repo}/actions/runs`, String(again.headers.get('etag')))
    expect([unchanged.status, await unchanged.text()]).toEqual([304, ''])
    expect(unchanged.headers.get('x-ratelimit-used')).toBe(again.headers.get('x-ratelimit-used'))
    await forge.calls.submit()
    expect((await reading(`${repo}/actions/runs`, String(again.headers.get('etag')))).status).toBe(200)
  })
})

describe('requests that make no sense', () => {
  it("are refused in GitHub's words", async () => {
    await forge.calls.submit()
    const mint = `${repo}/actions/runners/generate-jitconfig`
    const callsBefore = watch.calls.length
    expect(await status('POST', mint, { name: 'r-1', runner_group_id: 1, labels: [] })).toBe(422)
    expect(await status('POST', mint, '{')).toBe(400)
    // The requests are wrong on purpose: only the answers count here.
    const problems = watch.takeDifferences()
    expect(watch.calls.length - callsBefore).toBe(2)
    expect(problems.filter((why) => !why.includes(': request'))).toEqual([])
  })
})

const get = (path: string) => forge.calls.send('GET', path)

async function status(method: string, path: string, body?: unknown): Promise<number> {
  return (await forge.calls.send(method, path, body)).status
}

function reading(path: string, tag = ''): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, ...(tag !== '' && { 'if-none-match': tag }) }
  return fetch(`${forge.server.url}${path}`, { headers })
}
