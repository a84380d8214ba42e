import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Cluster } from '../cluster/index.ts'
import type { Json } from './ground.ts'

/** A stand-in for GitLab's API about one runner, number 31. */
export interface GitlabStandIn extends AsyncDisposable {
  readonly url: string
  /** Jobs that run on it. */
  readonly jobs: { readonly id: number }[]
}

/** It accepts one token, and is contacted by a manager once a pod runs that Holdfast restarted. */
export async function openGitlab({ api }: Cluster, accepted: string): Promise<GitlabStandIn> {
  const jobs: { readonly id: number }[] = []
  const contacted = async (): Promise<boolean> => {
    const { body } = await api.request('GET', '/api/v1/namespaces/gitlab-runner/pods')
    return body.items.some(
      ({ metadata, status }: Json) =>
        metadata.annotations?.['holdfast.dev/restarted'] !== undefined && status.phase === 'Running',
    )
  }
  const answer = async (path: string, body: string): Promise<readonly [number, unknown]> => {
    if (path === '/api/v4/runners/verify')
      return JSON.parse(body).token === accepted ? [200, { id: 31 }] : [403, { message: '403 Forbidden' }]
    if (path === '/api/v4/runners/31/jobs?status=running') return [200, jobs]
    const isContacted = await contacted()
    const contacted_at = isContacted ? new Date().toISOString() : '2026-11-16T12:00:00.000Z'
    return [200, { id: 31, status: isContacted ? 'online' : 'offline', contacted_at }]
  }
  const server = createServer(async (request, response) => {
    const [status, body] = await answer(request.url ?? '', await text(request))
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A case that fails closes nothing: it must not keep the suite alive.
  server.unref()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    jobs,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
