import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from '../cluster/index.ts'
import { arcApi } from '../cluster/testing/arc-kinds.ts'
import { type Json, runnersPath } from './ground.ts'

/** A stand-in for GitHub's list of runners, and for one job of one repository. */
export interface ForgeStandIn extends AsyncDisposable {
  readonly url: string
  readonly registered: Set<string>
  readonly busy: Set<string>
  readonly offline: Set<string>
  /** The job that waits for a lane of one; it starts when no runner is left. */
  next: { status: string; runner_name: string | null }
  /** The credential that is refused here, and with which ARC's finalizer removes nothing; null: none. */
  refused: string | null
  /** Whether any App gets a token for its installation. */
  isAppInstalled: boolean
  /** Called after each answer about a runner. */
  onAnswered: (name: string) => void
}

export async function openForge(): Promise<ForgeStandIn> {
  const registered = new Set<string>()
  const busy = new Set<string>()
  const offline = new Set<string>()
  const forge: Pick<ForgeStandIn, 'onAnswered' | 'next' | 'refused' | 'isAppInstalled'> = {
    refused: null,
    isAppInstalled: true,
    onAnswered: () => {},
    next: { status: 'queued', runner_name: null },
  }
  const server = createServer((request, response) => {
    if (forge.refused !== null && request.headers.authorization?.endsWith(forge.refused)) {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ message: 'Bad credentials' }))
      return
    }
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://forge')
    if (pathname.endsWith('/access_tokens')) {
      response.writeHead(forge.isAppInstalled ? 201 : 404, { 'content-type': 'application/json' })
      const expires_at = new Date(Date.now() + 3_600_000).toISOString()
      response.end(JSON.stringify({ message: 'Not Found', token: 'ghs_standIn', expires_at }))
      return
    }
    const aboutJobs = jobAnswer(pathname, searchParams.get('status'), forge.next)
    if (aboutJobs !== null) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(aboutJobs))
      return
    }
    const name = searchParams.get('name') ?? ''
    const status = offline.has(name) ? 'offline' : 'online'
    const runner = { id: 1, name, os: 'linux', status, busy: busy.has(name), labels: [] }
    const runners = registered.has(name) ? [runner] : []
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ total_count: runners.length, runners }), () => forge.onAnswered(name))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(forge, {
    url,
    registered,
    busy,
    offline,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

const since = '2026-11-16T12:00:00Z'

/** Answers about the one run and its one job; null: the request is about something else. */
function jobAnswer(path: string, status: string | null, next: ForgeStandIn['next']): object | null {
  const job = { id: 42, run_id: 3, name: 'build', labels: ['arc-demo'], conclusion: null, ...next }
  const times = { created_at: since, started_at: since, completed_at: null }
  if (path.endsWith('/user/repos')) return [] // of which `holdfast up` looks after the webhooks
  if (path.endsWith('/actions/jobs/42')) return { ...job, ...times }
  if (path.endsWith('/actions/runs/3/jobs')) return { total_count: 1, jobs: [{ ...job, ...times }] }
  if (!path.endsWith('/actions/runs')) return null
  const runs = status === 'queued' ? [{ id: 3, status, created_at: since }] : []
  return { total_count: runs.length, workflow_runs: runs }
}

const everyMs = 300
const mergePatch = 'application/merge-patch+json'

/** A stand-in for ARC's finalizer: a deleted runner goes once the forge has removed it, and the forge refuses while it works. */
export function finalizeRunners({ api }: Cluster, forge: ForgeStandIn): AsyncDisposable {
  return looping(async () => {
    for (const { metadata } of ((await api.request('GET', runnersPath)).body?.items ?? []) as Json[]) {
      if (metadata.deletionTimestamp === undefined || forge.busy.has(metadata.name)) continue
      if (forge.refused !== null) continue
      forge.registered.delete(metadata.name)
      if (forge.next.status === 'queued') forge.next = { status: 'in_progress', runner_name: 'next' }
      const bare = { metadata: { finalizers: null } }
      await api.request('PATCH', `${runnersPath}/${metadata.name}`, bare, mergePatch)
    }
  })
}

const listenersPath = '/api/v1/namespaces/arc-systems/pods'

/** A stand-in for ARC's listener controller and a kubelet: a listener pod that went comes again, and runs. */
export function remakeListener({ api }: Cluster, pod: Json): AsyncDisposable {
  const { uid } = pod.metadata
  return looping(() => runListener(api, pod, uid))
}

/** A stand-in for ARC's controller: a listener that is missing comes again when no runner is left. */
export function remakeWhenEmpty({ api }: Cluster, listener: object, pod: Json): AsyncDisposable {
  return looping(async () => {
    if ((await api.request('GET', runnersPath)).body.items.length > 0) return
    await api.request('POST', listenerObjects, listener)
    await runListener(api, pod, '')
  })
}

/** Makes the pod of a listener where it is missing, and has another than that of `uid` run. */
async function runListener(api: Cluster['api'], pod: Json, uid: string): Promise<void> {
  const { name } = pod.metadata
  const found = await api.request('GET', `${listenersPath}/${name}`)
  if (found.status === 404) {
    // Without the mounts that the API server put there: their volumes are those of the other pod.
    const containers = pod.spec.containers.map((each: Json) => ({ name: each.name, image: each.image }))
    const spec = { schedulerName: 'holdfast.test/nobody', containers }
    const metadata = { name, namespace: 'arc-systems' }
    await api.request('POST', listenersPath, { apiVersion: 'v1', kind: 'Pod', metadata, spec })
  }
  if (found.status === 200 && found.body.metadata.uid !== uid) {
    const state = { running: { startedAt: since } }
    const [{ name: container, image }] = pod.spec.containers
    const containerStatuses = [{ name: container, image, imageID: 'x', ready: true, restartCount: 0, state }]
    const status = { phase: 'Running', containerStatuses }
    await api.request('PATCH', `${listenersPath}/${name}/status`, { status }, mergePatch)
  }
}

export const setsPath = `${arcApi}/namespaces/arc-runners/autoscalingrunnersets`
export const listenerObjects = `${arcApi}/namespaces/arc-systems/autoscalinglisteners`

/** A stand-in for ARC's controller and listener: a listener has the caps of its set, and at zero idle runners go. */
export function takeCapsOn({ api }: Cluster, forge: ForgeStandIn): AsyncDisposable {
  return looping(async () => {
    const [set] = (await api.request('GET', setsPath)).body?.items ?? []
    const [listener] = (await api.request('GET', listenerObjects)).body?.items ?? []
    if (set === undefined || listener === undefined) return
    const { minRunners = 0, maxRunners } = set.spec
    if (listener.spec.minRunners !== minRunners || listener.spec.maxRunners !== maxRunners) {
      const spec = { minRunners, maxRunners }
      await api.request('PATCH', `${listenerObjects}/${listener.metadata.name}`, { spec }, mergePatch)
    }
    if (maxRunners !== 0) return
    for (const { metadata } of ((await api.request('GET', runnersPath)).body?.items ?? []) as Json[])
      if (!forge.busy.has(metadata.name)) await api.request('DELETE', `${runnersPath}/${metadata.name}`)
  })
}

/** One pass after the other until it is disposed of; an API server that does not answer is asked again. */
function looping(pass: () => Promise<void>): AsyncDisposable {
  const ending = new AbortController()
  const loop = (async () => {
    while (!ending.signal.aborted) {
      await pass().catch(() => {})
      await sleep(everyMs, undefined, { signal: ending.signal }).catch(() => {})
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      ending.abort()
      await loop
    },
  }
}
