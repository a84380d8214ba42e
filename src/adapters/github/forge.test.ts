import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { clock, recordedLog } from '../../../test/support/machine.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import type { HoldfastError } from '../../domain/errors/index.ts'
import type { Forge } from '../../ports/forge.ts'
import { createGitHubForge } from './index.ts'

const scope = { installation: 'gh', repository: 'acme/shop' }
const order = { scope, name: 'r-1', labels: ['linux'] }
const never = new AbortController().signal
const TOKEN = 'ghs_veryVerySecretToken000000000000000000'
const job = {
  ...{ id: 7, run_id: 70, run_attempt: 2, name: 'build', labels: ['linux'] },
  ...{ status: 'queued', conclusion: null, runner_id: null, runner_name: '' },
  ...{ created_at: '2026-01-02T03:04:05Z', started_at: '2026-01-02T03:04:05Z', completed_at: null },
}

describe('what GitHub answers to a mint', () => {
  const refusals = [
    ['a name that exists', 409, { message: 'Already exists' }, {}, 'job', null],
    ['what it cannot process', 422, { message: 'Invalid labels' }, {}, 'job', null],
    ['a repository outside our access', 404, { message: 'Not Found' }, {}, 'repository', null],
    [
      'a right that we lack',
      403,
      { message: 'Resource not accessible by integration' },
      {},
      'repository',
      null,
    ],
    [
      'a suspended installation',
      403,
      { message: 'This installation has been suspended' },
      {},
      'account',
      null,
    ],
    [
      'an address that is not allowed',
      403,
      { message: 'your IP address is not permitted to access this resource' },
      {},
      'account',
      null,
    ],
    ['a bad token', 401, { message: 'Bad credentials' }, {}, 'account', null],
    ['a limit with a time', 429, { message: 'Slow down' }, { 'retry-after': '30' }, 'account', 30_000],
    [
      'a secondary limit without a time',
      403,
      { message: 'You have exceeded a secondary rate limit' },
      {},
      'account',
      60_000,
    ],
    ['an absurd time to wait', 429, {}, { 'retry-after': '999999999' }, 'account', 3_600_000],
  ] as const
  for (const [what, status, body, headers, concerns, retryAfterMs] of refusals) {
    it(`is a refusal that concerns the ${concerns} for ${what}`, async () => {
      const forge = await answering((_, response) =>
        response.writeHead(status, headers).end(JSON.stringify(body)),
      )
      const refused = await forge.mint(order, never)
      expect(refused).toMatchObject({ kind: 'refused', concerns, retryAfterMs })
      expect(refused.kind === 'refused' && refused.reason).toContain(String(status))
    })
  }

  it('waits for the reset of a budget that is spent', async () => {
    const resetSeconds = Math.ceil(clock.now() / 1000) + 100
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(resetSeconds) }
    const forge = await answering((_, response) =>
      response.writeHead(403, headers).end('{"message":"API rate limit exceeded"}'),
    )
    const refused = await forge.mint(order, never)
    const waitMs = refused.kind === 'refused' ? refused.retryAfterMs : null
    expect(waitMs).toBeGreaterThan(90_000)
    expect(waitMs).toBeLessThanOrEqual(101_000)
  })

  const unknowns = [
    ['502', (_, response) => response.writeHead(502).end('<html>')],
    ['an empty body', (_, response) => response.writeHead(201).end()],
    ['half a body', (_, response) => response.writeHead(201).end('{"runner": {')],
    ['a body without the configuration', (_, response) => response.writeHead(201).end('{"runner":{"id":1}}')],
    ['a broken connection', (request) => request.socket.destroy()],
    ['nothing at all', () => {}],
  ] as const satisfies [string, RequestListener][]
  for (const [what, listener] of unknowns) {
    it(`is of unknown effect for ${what}`, async () => {
      const forge = await answering(listener)
      const error = await forge.mint(order, never).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
      expect((error as HoldfastError).message).toContain('generate-jitconfig')
      expect(JSON.stringify((error as HoldfastError).params)).not.toContain(TOKEN)
    })
  }

  it('sends what GitHub asks for', async () => {
    const seen: unknown[] = []
    const forge = await answering((request, response) => {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        const { authorization, accept } = request.headers
        seen.push(request.method, request.url, authorization, accept, JSON.parse(text))
        response.writeHead(201).end('{"runner":{"id":5},"encoded_jit_config":"abc"}')
      })
    })
    expect(await forge.mint(order, never)).toEqual({ kind: 'minted', forgeRunnerId: 5, jit: 'abc' })
    expect(seen).toEqual([
      'POST',
      '/repos/acme/shop/actions/runners/generate-jitconfig',
      `Bearer ${TOKEN}`,
      'application/vnd.github+json',
      { name: 'r-1', labels: ['linux'], runner_group_id: 1, work_folder: '_work' },
    ])
  })
})

describe('a 404 from GitHub', () => {
  it('means that a job is unknown where its repository can be read', async () => {
    const forge = await routed({ '/repos/acme/shop': [200, { id: 1, full_name: 'acme/shop' }] })
    expect(await forge.readJob(scope, 7, never)).toBeNull()
    expect(await forge.removeRunner(scope, 3, never)).toBe('absent')
  })

  it('means nothing where the repository cannot be read either', async () => {
    const forge = await routed({})
    await expect(forge.readJob(scope, 7, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
    await expect(forge.removeRunner(scope, 3, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
    await expect(forge.findRunner(scope, 'r-1', never)).rejects.toMatchObject({
      code: 'E_FORGE_UNAVAILABLE',
    })
  })
})

describe('reading from GitHub', () => {
  it('takes no start and no runner from a job that is queued', async () => {
    const forge = await routed({ '/repos/acme/shop/actions/jobs/7': [200, job] })
    expect(await forge.readJob(scope, 7, never)).toMatchObject({
      job: { forgeJobId: 7, runId: 70, runAttempt: 2 },
      status: 'queued',
      runnerName: null,
      queuedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
      startedAt: null,
    })
  })

  it('takes a job that waits for an approval as open', async () => {
    const forge = await routed({ '/repos/acme/shop/actions/jobs/7': [200, { ...job, status: 'waiting' }] })
    expect((await forge.readJob(scope, 7, never))?.status).toBe('queued')
  })

  it('refuses a job that is not as documented, and says where', async () => {
    const forge = await routed({ '/repos/acme/shop/actions/jobs/7': [200, { ...job, labels: 'linux' }] })
    await expect(forge.readJob(scope, 7, never)).rejects.toThrow(/labels/)
  })

  it('fails the whole list of jobs when one part of it cannot be read', async () => {
    const runs = '/repos/acme/shop/actions/runs'
    const parts: Record<string, [number, unknown]> = {
      '/installation/repositories': [
        200,
        { total_count: 1, repositories: [{ id: 1, full_name: 'acme/shop' }] },
      ],
      [`${runs}?status=queued`]: [200, { total_count: 1, workflow_runs: [{ id: 70 }] }],
      [`${runs}?status=in_progress`]: [200, { total_count: 1, workflow_runs: [{ id: 71 }] }],
      [runs]: [200, { total_count: 1, workflow_runs: [{ id: 72 }] }], // the newer ones, by their creation
      [`${runs}/70/jobs`]: [200, { total_count: 1, jobs: [job] }],
      [`${runs}/71/jobs`]: [200, { total_count: 0, jobs: [] }],
      [`${runs}/72/jobs`]: [200, { total_count: 1, jobs: [{ ...job, id: 8, status: 'completed' }] }],
    }
    expect(await (await routed(parts)).listJobs('gh', 0, never)).toHaveLength(2)
    for (const part of Object.keys(parts)) {
      const forge = await routed({ ...parts, [part]: [502, {}] })
      await expect(forge.listJobs('gh', 0, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
    }
  })

  it('does not take a list for whole that has fewer items than it says', async () => {
    const forge = await routed({ '/repos/acme/shop/actions/runners': [200, { total_count: 2, runners: [] }] })
    await expect(forge.findRunner(scope, 'r-1', never)).rejects.toThrow(/kept changing/)
  })

  it('gives up when the caller does', async () => {
    const caller = new AbortController()
    const forge = await answering(() => caller.abort(new Error('shutting down')), 60_000)
    await expect(forge.readJob(scope, 7, caller.signal)).rejects.toThrow(/shutting down/)
  })

  it('is a defect for an installation that is not its own', async () => {
    const forge = await routed({})
    await expect(forge.listJobs('another', 0, never)).rejects.toMatchObject({ code: 'E_BUG' })
  })
})

/** A forge that answers by path, with or without the query; 404 otherwise. */
function routed(routes: Readonly<Record<string, readonly [number, unknown]>>): Promise<Forge> {
  return answering((request, response) => {
    const url = new URL(request.url ?? '', 'http://forge')
    const status = url.searchParams.get('status')
    const route = routes[`${url.pathname}?status=${status}`] ?? routes[url.pathname]
    const [code, body] = route ?? [404, { message: 'Not Found' }]
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
}

async function answering(listener: RequestListener, timeoutMs = 300): Promise<Forge> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  untilTestEnds({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const token = async () => TOKEN
  return createGitHubForge({ baseUrl, token, installation: 'gh', timeoutMs, clock, log: recordedLog() })
}
