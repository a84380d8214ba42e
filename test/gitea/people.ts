import { setTimeout as sleep } from 'node:timers/promises'
import type { GiteaServer } from './server/start.ts'

/** Gitea's fields of a job, as far as the tests read them. */
export interface GiteaJob {
  readonly id: number
  readonly run_id: number
  readonly run_attempt: number
  readonly name: string
  readonly status: string
  readonly conclusion?: string
  readonly runner_id?: number
}

/** The people around a Gitea: what they do that Holdfast does not. */
export interface People {
  readonly token: string
  /** Whether a job that is run again keeps its id, as up to 1.26. */
  readonly keepsJobIds: boolean
  call<T>(method: string, path: string, body?: unknown): Promise<T>
  createOrganisation(name: string): Promise<void>
  createRepository(repository: string): Promise<void>
  removeRepository(repository: string): Promise<void>
  /** Makes Gitea send the events of all jobs of the instance to this address. */
  addWebhook(url: string, secret: string): Promise<void>
  /** Commits a workflow file and gives the jobs of the run that it began. */
  push(repository: string, file: string, workflow: string): Promise<readonly GiteaJob[]>
  jobs(repository: string): Promise<readonly GiteaJob[]>
  /** As a person does it in the browser: there is no API for it. */
  cancelRun(repository: string, runId: number): Promise<void>
}

const user = 'root-of-tests'
const password = 'only-on-loopback-1'
const appearsWithinMs = 20_000
const lookEveryMs = 50
const pageSize = 50

/** Makes the administrator of a Gitea that is running, and acts for them. */
export async function meetPeople(server: GiteaServer): Promise<People> {
  await server.command(
    ...['admin', 'user', 'create', '--admin', '--username', user, '--password', password],
    ...['--email', 'root@example.com', '--must-change-password=false'],
  )
  const token = await makeToken(server.url, ['all'])
  return actFor(server.url, token, server.version.startsWith('1.26.'))
}

/** A token with these scopes, by the administrator's password. */
export async function makeToken(url: string, scopes: readonly string[]): Promise<string> {
  const answer = await fetch(`${url}/api/v1/users/${user}/tokens`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: `t-${performance.now()}`, scopes }),
  })
  const { sha1 } = (await answer.json()) as { sha1: string }
  return sha1
}

function actFor(url: string, token: string, keepsJobIds: boolean): People {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
  const jobs = async (repository: string): Promise<GiteaJob[]> => {
    const all: GiteaJob[] = []
    for (let page = 1; ; page += 1) {
      const path = `/repos/${repository}/actions/jobs?limit=${pageSize}&page=${page}`
      const { jobs: some } = await call<{ jobs: GiteaJob[] }>('GET', path)
      all.push(...some)
      if (some.length < pageSize) return all
    }
  }
  return {
    token,
    keepsJobIds,
    call,
    jobs,
    async createOrganisation(name) {
      await call('POST', '/orgs', { username: name })
    },
    async createRepository(repository) {
      const [owner, name] = repository.split('/')
      await call('POST', `/orgs/${owner}/repos`, {
        name,
        private: true,
        auto_init: true,
        default_branch: 'main',
      })
    },
    async removeRepository(repository) {
      await call('DELETE', `/repos/${repository}`)
    },
    async addWebhook(to, secret) {
      const config = { url: to, content_type: 'json', secret, is_system_webhook: true }
      await call('POST', '/admin/hooks', {
        type: 'gitea',
        active: true,
        config: { ...config, is_system_webhook: 'true' },
        events: ['workflow_job'],
      })
    },
    async push(repository, file, workflow) {
      const before = new Set((await jobs(repository)).map(({ id }) => id))
      const content = Buffer.from(workflow).toString('base64')
      await call('POST', `/repos/${repository}/contents/.gitea/workflows/${file}`, {
        content,
        message: file,
        branch: 'main',
      })
      const deadline = performance.now() + appearsWithinMs
      while (performance.now() < deadline) {
        const fresh = (await jobs(repository)).filter(({ id }) => !before.has(id))
        if (fresh.length > 0) return fresh
        await sleep(lookEveryMs)
      }
      throw new Error(`no run of ${file} appeared in ${repository} within ${appearsWithinMs} ms`)
    },
    cancelRun: (repository, runId) => cancelInBrowser(url, repository, runId),
  }
}

async function cancelInBrowser(url: string, repository: string, runId: number): Promise<void> {
  const form = new URLSearchParams({ user_name: user, password })
  const login = await fetch(`${url}/user/login`, { method: 'POST', body: form, redirect: 'manual' })
  await login.body?.cancel()
  // Gitea sets its session twice; the later one counts.
  const cookies = new Map(
    login.headers.getSetCookie().map((each) => each.split(';')[0]?.split('=') as [string, string]),
  )
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
  const answer = await fetch(`${url}/${repository}/actions/runs/${runId}/cancel`, {
    method: 'POST',
    headers: { cookie },
    redirect: 'manual',
  })
  const text = await answer.text()
  if (answer.status !== 200)
    throw new Error(`cancelling run ${runId}: ${answer.status} ${text.slice(0, 200)}`)
}
