import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clock } from '../../../test/support/machine.ts'
import { createGitlabApi } from './gitlab-api.ts'

const never = new AbortController().signal
const token = 'planted-user-token-77'

type Answers = Readonly<Record<string, readonly [number, unknown]>>

/** A server that answers by method and path, and keeps what it was asked. */
async function gitlab(answers: Answers) {
  const asked: { readonly request: IncomingMessage; readonly body: string }[] = []
  const server = createServer(async (request, response) => {
    asked.push({ request, body: await text(request) })
    const [status, body] = answers[`${request.method} ${request.url}`] ?? [500, {}]
    const location = status === 302 ? { location: 'http://127.0.0.1:1/elsewhere' } : {}
    response.writeHead(status, { 'content-type': 'application/json', ...location })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { asked, url, api: createGitlabApi({ url: `${url}/`, token, clock }) }
}

const runner = { id: 31, status: 'online', contacted_at: '2026-11-18T10:00:00.000Z', description: 'x' }

describe('GitLab’s word about a runner', () => {
  it('is its status and last contact, asked with the user’s token', async () => {
    const { api, asked } = await gitlab({ 'GET /api/v4/runners/31': [200, runner] })
    expect(await api.readRunner(31, never)).toEqual({
      status: 'online',
      contactedAt: Date.parse(runner.contacted_at),
    })
    expect(asked[0]?.request.headers['private-token']).toBe(token)
  })

  it('is none where GitLab knows no such runner, and has no time where it never was in contact', async () => {
    const never_ = { ...runner, status: 'never_contacted', contacted_at: null }
    const { api } = await gitlab({
      'GET /api/v4/runners/1': [404, { message: '404 Not found' }],
      'GET /api/v4/runners/2': [200, never_],
    })
    expect(await api.readRunner(1, never)).toBeNull()
    expect(await api.readRunner(2, never)).toEqual({ status: 'never_contacted', contactedAt: null })
  })

  it('has the jobs that run', async () => {
    const { api } = await gitlab({
      'GET /api/v4/runners/31/jobs?status=running': [200, [{ id: 900 }]],
      'GET /api/v4/runners/32/jobs?status=running': [200, []],
    })
    expect([await api.runningJobs(31, never), await api.runningJobs(32, never)]).toEqual([[900], []])
  })

  it('is the runner of a token, which goes in the body alone; null where it is refused', async () => {
    const good = await gitlab({ 'POST /api/v4/runners/verify': [200, { id: 31, token: 'x' }] })
    expect(await good.api.runnerOfToken('planted-glrt', never)).toBe(31)
    expect(good.asked[0]?.body).toBe('{"token":"planted-glrt"}')
    expect(good.asked[0]?.request.headers).not.toHaveProperty('private-token')
    const bad = await gitlab({ 'POST /api/v4/runners/verify': [403, { message: '403 Forbidden' }] })
    expect(await bad.api.runnerOfToken('planted-glrt', never)).toBeNull()
  })

  it.each<[string, readonly [number, unknown]]>([
    ['a token that may not', [401, { message: '401 Unauthorized' }]],
    ['a redirect, which is not followed', [302, '']],
    ['a page', [200, '<html>']],
    ['an answer of another shape', [200, [{ name: 'x' }]]],
    ['a server that fails', [502, '']],
    ['another success than the one that is meant', [202, { ...runner, 0: { id: 900 } }]],
  ])('is an error, never an empty answer, with %s', async (_, answer) => {
    const { api } = await gitlab({
      'GET /api/v4/runners/31': answer,
      'GET /api/v4/runners/31/jobs?status=running': answer,
      'POST /api/v4/runners/verify': answer,
    })
    const failures = await Promise.all(
      [api.readRunner(31, never), api.runningJobs(31, never), api.runnerOfToken('planted-glrt', never)].map(
        (each) => each.then(() => null).catch((error: unknown) => error),
      ),
    )
    for (const error of failures) expect(error).toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
    expect(failures.map(String).join()).not.toMatch(/planted/)
  })

  it('is an error where nobody answers', async () => {
    const api = createGitlabApi({ url: 'http://127.0.0.1:1', token, clock })
    await expect(api.readRunner(31, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
  })
})
