import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createClock } from '../../platform/clock.ts'
import { createGitlabJobs } from './jobs.ts'

const token = 'glpat-planted-8c2d'
const ref = { host: 'gitlab.example.com', projectId: 31, jobId: 9117 }
const never = new AbortController().signal
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A server that answers every request so, and the requests that it got. */
async function served(answer: (response: ServerResponse) => void) {
  const asked: { url: string | undefined; token: unknown }[] = []
  const server = createServer((request, response) => {
    asked.push({ url: request.url, token: request.headers['private-token'] })
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { asked, jobs: createGitlabJobs({ url: `${url}/`, token, clock: createClock() }), url }
}

const json = (status: number, body: unknown) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

describe('a job of GitLab', () => {
  it('is asked for by its project and number, with the token, and has its status', async () => {
    const { jobs, asked, url } = await served(json(200, { id: 9117, status: 'canceled', name: 'test' }))
    expect(await jobs.readJob(ref, never)).toMatchObject({ status: 'canceled' })
    expect(asked).toEqual([{ url: '/api/v4/projects/31/jobs/9117', token }])
    expect(jobs.url).toBe(url)
  })

  it('that the token does not see has none', async () => {
    const { jobs } = await served(json(404, { message: '404 Not Found' }))
    expect(await jobs.readJob(ref, never)).toMatchObject({ status: null })
  })

  it.each([
    ['refuses the token', json(401, { message: '401 Unauthorized' }), /it answered 401/],
    ['fails', json(502, 'bad gateway'), /it answered 502/],
    [
      'leads elsewhere',
      (response: ServerResponse) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
      /it answered 302/,
    ],
    ['speaks of another job', json(200, { id: 1, status: 'success' }), /no job of this number/],
    ['says something else', json(200, { hello: 'you' }), /no job of this number/],
    ['breaks off', (response: ServerResponse) => void response.destroy(), /did not answer/],
    [
      'answers without end',
      (response: ServerResponse) => response.end('x'.repeat(5 * 1024 * 1024)),
      /larger than/,
    ],
  ])('is not known where GitLab %s', async (_, answer, why) => {
    const { jobs, asked } = await served(answer)
    const read = jobs.readJob(ref, never)
    await expect(read).rejects.toThrow(why)
    await expect(read).rejects.not.toThrow(token)
    expect(asked).toHaveLength(1)
  })
})
