import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import {
  github,
  podToken,
  type Routes,
  routed,
  type Seen,
} from '../../../../test/contract/github/answering.ts'
import { clock } from '../../../../test/support/machine.ts'
import type { HoldfastError } from '../../../domain/errors/index.ts'

const never = new AbortController().signal
const order = { scope: { installation: 'gh', repository: 'acme/shop' }, name: 'r-1', labels: ['linux'] }
const minted = { runner: { id: 5 }, encoded_jit_config: 'abc' }
const runners = '/repos/acme/shop/actions/runners'
const mintPath = `${runners}/generate-jitconfig`
const slowlyMs = 600_000

const routes = async (given: Routes) => (await github(routed(given))).forge

describe("GitHub's answer to a mint", () => {
  const refusals = [
    ['what it cannot process', 422, 'Invalid labels', 'job', null],
    ['a repository outside our access', 404, 'Not Found', 'repository', 'repository-not-covered'],
    [
      'a right that we lack',
      403,
      'Resource not accessible by integration',
      'repository',
      'repository-not-covered',
    ],
    [
      'runners that are disabled',
      422,
      'Repository level self-hosted runners are disabled on this repository',
      'repository',
      'runners-disabled',
    ],
    [
      'Actions that are disabled',
      422,
      'GitHub Actions is disabled on this repository',
      'repository',
      'actions-disabled',
    ],
    [
      'a suspended installation',
      403,
      'This installation has been suspended',
      'account',
      'installation-suspended',
    ],
    [
      'an address that is not allowed',
      403,
      'Although you appear to have the correct authorization credentials, the `acme` organization has an IP allow list enabled, and your IP address is not permitted to access this resource.',
      'account',
      'ip-not-allowed',
    ],
    [
      'a group that is full',
      403,
      'Runner group has reached max limit of 10000 runners',
      'account',
      'runner-group-full',
    ],
    ['a bad token', 401, 'Bad credentials', 'account', 'credentials-refused'],
  ] as const
  for (const [what, status, message, concerns, incident] of refusals) {
    it(`is a refusal that concerns the ${concerns} for ${what}`, async () => {
      const forge = await routes({ [`POST ${mintPath}`]: [status, { message }] })
      const refused = await forge.mint(order, never)
      const retryAfterMs = incident === null ? null : slowlyMs
      expect(refused).toMatchObject({ kind: 'refused', concerns, incident, retryAfterMs })
      expect(refused.kind === 'refused' && refused.reason).toContain(`${status} ${message}`)
    })
  }

  const limits = [
    ['a limit with a time', 429, 'Slow down', { 'retry-after': '30' }, 30_000],
    ['a secondary limit without a time', 403, 'You have exceeded a secondary rate limit', {}, 60_000],
    ['an absurd time to wait', 429, '', { 'retry-after': '999999999' }, 3_600_000],
  ] as const
  for (const [what, status, message, headers, retryAfterMs] of limits) {
    it(`is no incident for ${what}, but a wait of the whole account`, async () => {
      const forge = await routes({ [`POST ${mintPath}`]: [status, { message }, headers] })
      const refused = { kind: 'refused', concerns: 'account', retryAfterMs, incident: null }
      expect(await forge.mint(order, never)).toMatchObject(refused)
    })
  }

  it('waits for the reset of an exhausted rate limit', async () => {
    const resetSeconds = Math.ceil(clock.now() / 1000) + 100
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(resetSeconds) }
    const forge = await routes({
      [`POST ${mintPath}`]: [403, { message: 'API rate limit exceeded' }, headers],
    })
    const refused = await forge.mint(order, never)
    const waitMs = refused.kind === 'refused' ? refused.retryAfterMs : null
    expect(waitMs).toBeGreaterThan(90_000)
    expect(waitMs).toBeLessThanOrEqual(101_000)
  })

  const unknowns = [
    ['502', (_, response) => response.writeHead(502).end('<html>')],
    ['an empty body', (_, response) => response.writeHead(201).end()],
    ['200 and an empty body', (_, response) => response.writeHead(200).end()],
    ['half a body', (_, response) => response.writeHead(201).end('{"runner": {')],
    ['a body without the configuration', (_, response) => response.writeHead(201).end('{"runner":{"id":1}}')],
    ['a broken connection', (request) => request.socket.destroy()],
    ['nothing at all', () => {}],
  ] as const satisfies [string, RequestListener][]
  for (const [what, listener] of unknowns) {
    it(`is of unknown effect for ${what}`, async () => {
      const { forge } = await github(listener, { timeoutMs: 300 })
      const error = await forge.mint(order, never).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
      expect((error as HoldfastError).message).toContain('generate-jitconfig')
      expect(JSON.stringify((error as HoldfastError).params)).not.toContain(podToken)
    })
  }

  it('has the parameters of GitHub’s API in its request', async () => {
    const seen: Seen[] = []
    const { forge } = await github(routed({ [`POST ${mintPath}`]: [201, minted] }, seen))
    expect(await forge.mint(order, never)).toEqual({ kind: 'minted', forgeRunnerId: 5, jit: 'abc' })
    expect(seen).toHaveLength(1)
    const { route, headers, body } = seen[0] as Seen
    expect([route, headers.authorization, headers.accept]).toEqual([
      `POST ${mintPath}`,
      `Bearer ${podToken}`,
      'application/vnd.github+json',
    ])
    expect(JSON.parse(body)).toEqual({
      name: 'r-1',
      labels: ['linux'],
      runner_group_id: 1,
      work_folder: '_work',
    })
  })
})

describe('a name that exists already', () => {
  const existing = (runner: object, removal: number) => {
    let mints = 0
    const seen: Seen[] = []
    const list = {
      total_count: 1,
      runners: [{ id: 3, name: 'r-1', status: 'offline', busy: false, ...runner }],
    }
    const listener = routed(
      {
        [`POST ${mintPath}`]: () => {
          mints += 1
          return mints === 1 ? [409, { message: 'Already exists' }] : [201, minted]
        },
        [runners]: [200, list],
        [`DELETE ${runners}/3`]: [removal],
      },
      seen,
    )
    return { listener, routes: () => seen.map(({ route }) => route) }
  }

  it('belongs to a mint without a record: its runner is removed, and the name minted again', async () => {
    const { listener, routes: made } = existing({}, 204)
    const { forge } = await github(listener)
    expect(await forge.mint(order, never)).toEqual({ kind: 'minted', forgeRunnerId: 5, jit: 'abc' })
    expect(made()).toEqual([`POST ${mintPath}`, `GET ${runners}`, `DELETE ${runners}/3`, `POST ${mintPath}`])
  })

  const left = [
    ['is online', { status: 'online' }, 204],
    ['works', { busy: true }, 204],
    ['began to work meanwhile', {}, 422],
  ] as const
  for (const [what, runner, removal] of left) {
    it(`is a refusal that concerns the job where its runner ${what}`, async () => {
      const { listener, routes: made } = existing(runner, removal)
      const { forge } = await github(listener)
      expect(await forge.mint(order, never)).toMatchObject({
        kind: 'refused',
        concerns: 'job',
        incident: null,
        reason: '409 Already exists',
      })
      expect(made().filter((route) => route.startsWith('POST'))).toHaveLength(1)
    })
  }

  it('is retried once, not for ever', async () => {
    const forge = await routes({
      [`POST ${mintPath}`]: [409, { message: 'Already exists' }],
      [runners]: [200, { total_count: 0, runners: [] }],
    })
    expect(await forge.mint(order, never)).toMatchObject({ kind: 'refused', concerns: 'job' })
  })
})
