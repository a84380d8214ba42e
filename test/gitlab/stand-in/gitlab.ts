import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type JobOrder, jobPayload, projectId } from './job.ts'

/** A job as the runner and GitLab know it. */
export interface StandInJob {
  readonly id: number
  readonly order: JobOrder
  /** As GitLab's REST API shows it. */
  status: string
  failureReason: string | null
  exitCode: number | null
  trace: string
}

/** A stand-in for GitLab: the part of its API that runners talk to, and the page of one job. No more of GitLab is here. */
export interface GitlabStandIn extends AsyncDisposable {
  /** At the loopback of this machine. */
  readonly url: string
  readonly port: number
  readonly jobs: ReadonlyMap<number, StandInJob>
  /** Calls that it does not know, which a test must not overlook. */
  readonly strange: readonly string[]
  enqueue(order: JobOrder): StandInJob
}

/** People's token, for the page of a job; runners have their own. */
export const peopleToken = 'glpat-not-a-real-one-of-tests'

export async function openGitlab(): Promise<GitlabStandIn> {
  const jobs = new Map<number, StandInJob>()
  const strange: string[] = []
  const server = createServer((request, response) => {
    answer(request, response, { jobs, strange, url: () => url }).catch((error: unknown) => {
      strange.push(String(error))
      response.writeHead(500).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    port,
    jobs,
    strange,
    enqueue(order) {
      const id = 1_001 + jobs.size
      const job = { id, order, status: 'pending', failureReason: null, exitCode: null, trace: '' }
      jobs.set(id, job)
      return job
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface World {
  readonly jobs: Map<number, StandInJob>
  readonly strange: string[]
  url(): string
}

async function answer(request: IncomingMessage, response: ServerResponse, world: World): Promise<void> {
  const body = await text(request)
  const { pathname } = new URL(request.url ?? '', 'http://gitlab')
  const call = `${request.method} ${pathname.replaceAll(/\/\d+(?=\/|$)/g, '/:n')}`
  const id = Number(/\/jobs\/(\d+)/.exec(pathname)?.[1])
  const known = calls[call]
  if (known === undefined) {
    world.strange.push(call)
    response.writeHead(404).end()
    return
  }
  const { status, json, headers = {} } = known({ world, body, job: world.jobs.get(id), request })
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(json === undefined ? '' : JSON.stringify(json))
}

interface Called {
  readonly world: World
  readonly body: string
  readonly job: StandInJob | undefined
  readonly request: IncomingMessage
}

interface Answered {
  readonly status: number
  readonly json?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** The calls of a runner, in the order in which it makes them, and the one of people. */
const calls: Readonly<Record<string, (called: Called) => Answered>> = {
  'POST /api/v4/runners/verify': ({ body }) => ({
    status: 200,
    json: { id: 1, token: JSON.parse(body).token, token_expires_at: null },
  }),

  'POST /api/v4/jobs/request'({ world, body }) {
    const { token } = JSON.parse(body)
    const next = [...world.jobs.values()].find((job) => job.status === 'pending' && job.order.token === token)
    if (next === undefined) return { status: 204, headers: { 'x-gitlab-last-update': 'none' } }
    next.status = 'running'
    return { status: 201, json: jobPayload(next.id, next.order, world.url()) }
  },

  'PATCH /api/v4/jobs/:n/trace'({ job, body }) {
    if (job === undefined) return { status: 404 }
    job.trace += body
    const range = `0-${Buffer.byteLength(job.trace)}`
    return {
      status: 202,
      headers: { 'job-status': job.status, range, 'x-gitlab-trace-update-interval': '3' },
    }
  },

  'PUT /api/v4/jobs/:n'({ job, body }) {
    if (job === undefined) return { status: 404 }
    const { state, failure_reason = null, exit_code = null } = JSON.parse(body)
    if (job.status === 'running' && state !== 'running')
      Object.assign(job, { status: state, failureReason: failure_reason, exitCode: exit_code })
    return { status: 200, headers: { 'job-status': job.status } }
  },

  'GET /api/v4/projects/:n/jobs/:n'({ job, request }) {
    if (request.headers['private-token'] !== peopleToken) return { status: 401 }
    if (job === undefined || !request.url?.includes(`/projects/${projectId}/`)) return { status: 404 }
    return { status: 200, json: { id: job.id, status: job.status, name: job.order.name } }
  },
}
