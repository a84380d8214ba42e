import { describe, expect, it } from 'vitest'
import { createBench, operatorToken } from '../../test/support/holdfast-app.ts'
import { routePatterns } from './index.ts'

type ErrorAnswer = { error: { code: string; message: string } }
const basic = (token: string) => `Basic ${Buffer.from(`anybody:${token}`).toString('base64')}`

describe('a path that is not served', () => {
  it('is a 404 in JSON', async () => {
    const { ask } = await createBench()
    const answer = await ask('/v2/jobs')
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({
      error: { code: 'E_PATH_UNKNOWN', message: 'Nothing is served at GET /v2/jobs.' },
    })
  })

  it('is a 405 with the methods that are, where only the method is wrong', async () => {
    const { ask } = await createBench()
    const answer = await ask('/v1/jobs/7', { method: 'DELETE' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(((await answer.json()) as ErrorAnswer).error.code).toBe('E_METHOD_WRONG')
  })
})

describe('an error', () => {
  it('is a page for a browser, and says what to do; a program gets JSON', async () => {
    const { ask } = await createBench()
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    for (const [path, status] of [
      ['/nothing/<script>', 404],
      ['/jobs/99', 404],
    ] as const) {
      const page = await ask(path, { headers: { accept } })
      expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=UTF-8'])
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
      const text = await page.text()
      expect(text).toContain('<h1>')
      expect(text).not.toContain('<script>')
      for (const other of ['application/json', '*/*']) {
        const answer = await ask(path, { headers: { accept: other } })
        expect(((await answer.json()) as ErrorAnswer).error.code).toMatch(/^E_/)
      }
    }
  })
})

describe('an unexpected error', () => {
  it('is a 500 without its message, which stands in the log', async () => {
    const { ledger } = await createBench()
    const broken = { ...ledger, jobs: () => Promise.reject(new Error('select * from secrets')) }
    const { ask, log } = await createBench({ ledger: broken })
    const answer = await ask('/v1/jobs')
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toContain('select')
    expect(log.at('error')).toEqual(['a request failed unexpectedly'])
  })
})

describe('reading', () => {
  it('is open on a loopback address for requests with a loopback Host', async () => {
    const { ask } = await createBench()
    for (const host of ['localhost', 'localhost:8480', '127.0.0.1:8480', '[::1]:8480']) {
      expect((await ask('/v1/jobs', { headers: { host } })).status, host).toBe(200)
    }
  })

  it('is not open to a foreign Host that resolves to a loopback address', async () => {
    const { ask } = await createBench()
    for (const host of ['evil.example', 'localhost.evil.example:8480', '127.0.0.1.evil.example', '']) {
      expect((await ask('/v1/jobs', { headers: { host } })).status, host).toBe(401)
    }
  })

  it.each(['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP'])(
    'is not open to what a proxy on this machine passes on with %s',
    async (header) => {
      const { ask } = await createBench()
      const headers = { host: '127.0.0.1:8480', [header]: '127.0.0.1' }
      expect((await ask('/v1/jobs', { headers })).status).toBe(401)
      const shown = { ...headers, authorization: `Bearer ${operatorToken}` }
      expect((await ask('/v1/jobs', { headers: shown })).status).toBe(200)
    },
  )

  it('is not open where people reach it from elsewhere, and is where that address is this machine', async () => {
    const headers = { host: '127.0.0.1:8480' }
    const elsewhere = await createBench({ publicUrl: 'https://ci.example.org' })
    expect((await elsewhere.ask('/v1/jobs', { headers })).status).toBe(401)
    const here = await createBench({ publicUrl: 'http://localhost:8480' })
    expect((await here.ask('/v1/jobs', { headers })).status).toBe(200)
  })

  it('needs the token on any other address, and every path but the probes does', async () => {
    const { ask } = await createBench({ isLoopback: false })
    const paths = [
      '/',
      '/jobs/1',
      '/v1/jobs',
      '/v1/jobs/1',
      '/v1/jobs/1/why',
      '/v1/runners',
      '/v1/deliveries',
      '/v1/incidents',
      '/v1/forge',
      '/v1/about',
      '/metrics',
    ]
    for (const path of paths) {
      const answer = await ask(path)
      expect(answer.status, path).toBe(401)
      expect(answer.headers.get('www-authenticate'), path).toBe('Basic realm="holdfast"')
    }
    for (const path of ['/livez', '/readyz']) expect((await ask(path)).status, path).toBe(200)
  })

  it('takes the token as a bearer, or as a password from a browser', async () => {
    const { ask } = await createBench({ isLoopback: false })
    const statusOf = async (authorization: string) =>
      (await ask('/v1/jobs', { headers: { authorization } })).status
    expect(await statusOf(`Bearer ${operatorToken}`)).toBe(200)
    expect(await statusOf(basic(operatorToken))).toBe(200)
    expect(await statusOf('Bearer wrong')).toBe(401)
    expect(await statusOf(basic('wrong'))).toBe(401)
    expect(await statusOf('Bearer')).toBe(401)
  })
})

describe('writing', () => {
  it('does not take the token as a password, because browsers send those along by themselves', async () => {
    const { ask } = await createBench()
    const headers = { authorization: basic(operatorToken) }
    expect((await ask('/v1/jobs/1/release', { method: 'POST', headers })).status).toBe(401)
  })

  it('is closed to everybody while there is no token', async () => {
    const { ask } = await createBench({ operatorToken: '' })
    const headers = { authorization: 'Bearer ' }
    expect((await ask('/v1/jobs/1/release', { method: 'POST', headers })).status).toBe(401)
  })
})

describe('probes', () => {
  it('show a stranger that something is wrong, but not what', async () => {
    const why = 'password authentication failed for user "holdfast" at 10.0.0.7'
    const ready = async () => ({ ready: false, parts: [{ name: 'ledger', ready: false, why }] })
    const live = () => ({ live: true, dead: [] })
    const { ask } = await createBench({ health: { ready, live } })
    const stranger = await ask('/readyz', { headers: { host: 'ci.example.org' } })
    expect([stranger.status, await stranger.json()]).toEqual([
      503,
      { ready: false, parts: [{ name: 'ledger', ready: false }] },
    ])
    expect(await (await ask('/readyz')).text()).toContain('10.0.0.7')
  })

  it('say 200 while it serves', async () => {
    const { ask } = await createBench()
    const ready = await ask('/readyz')
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { ready: true, parts: [{ name: 'ledger', ready: true }] },
    ])
  })

  it('say 503 and what is missing while it does not', async () => {
    const parts = [{ name: 'ledger', ready: false, why: 'it does not answer' }]
    const { ask } = await createBench({
      health: {
        ready: async () => ({ ready: false, parts }),
        live: () => ({ live: false, dead: ['intake'] }),
      },
    })
    const ready = await ask('/readyz')
    expect([ready.status, await ready.json()]).toEqual([503, { ready: false, parts }])
    const live = await ask('/livez')
    expect([live.status, await live.json()]).toEqual([503, { live: false, dead: ['intake'] }])
  })
})

describe('metrics', () => {
  it('count requests by pattern and class, never by what was asked for', async () => {
    const { ask } = await createBench()
    await ask('/v1/jobs/12345')
    await ask('/no/such/path')
    await ask('/v1/jobs')
    const text = await (await ask('/metrics')).text()
    const count = (route: string, status: string) =>
      text.match(new RegExp(`seconds_count\\{route="${route}",status="${status}"\\} (\\d+)`))?.[1]
    expect(count('/v1/jobs/:job', '4xx')).toBe('1')
    expect(count('/v1/jobs', '2xx')).toBe('1')
    expect(count('unmatched', '4xx')).toBe('1')
    expect(text).not.toContain('12345')
  })

  it('have a series for every route that there is', async () => {
    const { app } = await createBench()
    expect(new Set([...app.routes, 'unmatched'])).toEqual(new Set(routePatterns))
  })
})
