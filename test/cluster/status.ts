import { readdir } from 'node:fs/promises'
import { isAlive } from '../../src/adapters/process/proc/index.ts'
import { type Answer, openApi } from './api.ts'
import { clustersFolder, type Place } from './place.ts'
import { readState } from './state.ts'

export interface PartStatus {
  readonly name: string
  /** Null where its process has ended. */
  readonly pid: number | null
  readonly health: string
}

/** Each part with its process and its health; null where there is no such cluster. */
export async function status(place: Place): Promise<PartStatus[] | null> {
  const state = await readState(place)
  if (state === null) return null
  const health = await healthOf(place, state.apiPort)
  return state.parts.map(({ name, identity }) => {
    const pid = identity !== null && isAlive(identity) ? identity.pid : null
    return { name, pid, health: pid === null ? 'ended' : (health.get(name) ?? 'runs') }
  })
}

/** The clusters of this machine by name. */
export async function clusterNames(): Promise<string[]> {
  return (await readdir(clustersFolder()).catch(() => [])).sort()
}

/** The health of the API server, the other parts and the nodes, as the API server reports it. */
async function healthOf(place: Place, port: number): Promise<Map<string, string>> {
  const health = new Map<string, string>()
  if (port === 0) return health
  const api = await openApi(place, port)
  const ask = (path: string): Promise<Answer | null> => api.request('GET', path).catch(() => null)
  try {
    const ready = await ask('/readyz')
    const word = ready?.status === 200 ? 'healthy' : `not ready: ${ready?.text.slice(0, 200) ?? 'no answer'}`
    health.set('apiserver', word).set('forward-api', ready === null ? 'no answer' : 'healthy')
    if (ready === null) return health
    for (const [name, word] of await componentHealth(ask)) health.set(name, word)
    for (const [name, word] of await nodeHealth(ask)) health.set(`${name}-kubelet`, word)
  } finally {
    await api[Symbol.asyncDispose]()
  }
  return health
}

type Ask = (path: string) => Promise<Answer | null>
interface Condition {
  readonly type: string
  readonly status: string
  readonly message?: string
}
interface Item {
  readonly metadata: { readonly name: string }
  readonly conditions?: readonly Condition[]
  readonly status?: { readonly conditions?: readonly Condition[] }
}

async function componentHealth(ask: Ask): Promise<[string, string][]> {
  const items: Item[] = (await ask('/api/v1/componentstatuses'))?.body.items ?? []
  return items.map(({ metadata, conditions }) => {
    const name = metadata.name.replace(/^etcd-.*/, 'etcd')
    return [
      name,
      wordOf(
        conditions?.find(({ type }) => type === 'Healthy'),
        'healthy',
      ),
    ]
  })
}

async function nodeHealth(ask: Ask): Promise<[string, string][]> {
  const items: Item[] = (await ask('/api/v1/nodes'))?.body.items ?? []
  return items.map(({ metadata, status }) => [
    metadata.name,
    wordOf(
      status?.conditions?.find(({ type }) => type === 'Ready'),
      'healthy, node ready',
    ),
  ])
}

function wordOf(condition: Condition | undefined, well: string): string {
  if (condition === undefined) return 'unknown'
  return condition.status === 'True' ? well : `not ready: ${condition.message ?? condition.status}`
}
