import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startEmbedded } from '../../src/adapters/embedded-postgres/index.ts'
import type { PodSite } from '../../src/adapters/kubernetes/pods/index.ts'
import { freePort } from '../../src/main/machine/free-port.ts'
import { declareKind } from '../../test/cluster/fleet/world.ts'
import { addresses, type Cluster, up } from '../../test/cluster/index.ts'
import { temporaryFolder } from '../../test/support/temporary.ts'
import { clock, entropy } from '../ledger/ground.ts'
import { type BareApi, forEach, must, openBareApi } from './api.ts'
import { type BenchForge, startBenchForge } from './forge.ts'
import { serveLogs } from './kubelet-logs.ts'
import { startLagging } from './lagging.ts'
import { type BenchLedger, openBenchLedger } from './ledger.ts'
import { type Life, startLife } from './life.ts'
import { type PodBoard, watchPods } from './pods.ts'
import { type Relay, startRelay } from './relay.ts'

/** All that the bench stands on: everything real but the nodes, their pods and the forge. */
export interface Ground {
  readonly cluster: Cluster
  readonly api: BareApi
  /** The way on which nodes would speak: each has a connection of its own. */
  readonly kubelets: BareApi
  readonly board: PodBoard
  readonly forge: BenchForge
  readonly relay: Relay
  readonly ledger: BenchLedger
  readonly site: PodSite
  readonly postgresPid: number
  forgePid(): number
  /** The Holdfast that runs. */
  life(): Life
  /** Ends it and starts another; with a lag, what watches show that one is late by so much. */
  restart(watchLateMs?: number): Promise<void>
  /** After a scene that was given up: ends its jobs and pods, and starts a Holdfast with an empty ledger. */
  clear(): Promise<void>
  /** Declares the pool again; resolves when the API server has it. */
  pool(over: PoolOver): Promise<void>
  close(): Promise<void>
}

export interface PoolOver {
  readonly maxRunners: number
  readonly minWarm?: number
  readonly idleTimeoutSeconds?: number
}

export const namespaces = { ours: 'default', bare: 'bare' } as const
export const poolName = 'bench'
export const poolLabels: readonly string[] = ['self-hosted', poolName]
const kwokNodes = 20
const kubeletConnections = 4 * kwokNodes
const hostId = 'bench'
/** As Holdfast's own default is. */
export const pollMs = 55_000
const closedWithinMs = 30_000
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }

/** Pods that only KWOK's nodes take, as many at a time as are wanted: a real node's pace is not measured here. */
export function poolSpec(over: PoolOver): Record<string, unknown> {
  return {
    labels: poolLabels,
    image: 'runner:1',
    minWarm: 0,
    idleTimeoutSeconds: 600,
    resources: { requests: { cpu: '10m', memory: '16Mi' } },
    provisioning: { maxStartingPerNode: 1_000, startDeadlineSeconds: 900 },
    template: {
      spec: {
        nodeSelector: { type: 'kwok' },
        tolerations: [{ key: 'kwok.x-k8s.io/node', operator: 'Exists' }],
      },
    },
    ...over,
  }
}

export async function openGround(say: (line: string) => void, signal: AbortSignal): Promise<Ground> {
  const closers: (() => PromiseLike<unknown>)[] = []
  // One that fails or hangs keeps none of the others from being closed.
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) {
      const outcome = await Promise.race([
        Promise.resolve(closer()).then(
          () => null,
          (error: unknown) => `failed: ${error}`,
        ),
        pause(closedWithinMs, `took more than ${closedWithinMs / 1_000} s`, { ref: false }),
      ])
      if (outcome !== null) say(`taking down: ${outcome}`)
    }
  }
  try {
    return await build(say, signal, closers, close)
  } catch (error) {
    await close()
    throw error
  }
}

async function build(
  say: (line: string) => void,
  signal: AbortSignal,
  closers: (() => PromiseLike<unknown>)[],
  close: () => Promise<void>,
): Promise<Ground> {
  const folder = await temporaryFolder('holdfast-bench-fleet-')
  closers.push(() => folder[Symbol.asyncDispose]())
  const place = (name: string) => path.join(folder.path, name)
  const cluster = await up({ name: `bench-${process.pid}`, nodes: 1, kwokNodes, signal }, say)
  closers.push(() => cluster[Symbol.asyncDispose]())
  const api = await openBareApi(cluster)
  closers.push(api.close)
  const kubelets = await openBareApi(cluster, kubeletConnections)
  closers.push(kubelets.close)
  await declareKind(cluster)
  must('namespace', await api.call('POST', '/api/v1/namespaces', { metadata: { name: namespaces.bare } }))
  closers.push(await serveLogs(cluster, api, kwokNodes))
  const board = await watchPods(api)
  closers.push(board.close)
  const postgres = await startEmbedded({ dataDir: place('ledger'), log: silent, clock, entropy })
  closers.push(() => postgres.stop())
  const port = await freePort('127.0.0.1')
  const relay = await startRelay(`http://127.0.0.1:${port}/webhooks/forge`)
  closers.push(relay.close)
  const secrets = { token: randomBytes(16).toString('hex'), webhookSecret: randomBytes(16).toString('hex') }
  const forge = await startBenchForge(place('forge'), relay.url, secrets)
  closers.push(forge.stop)
  const serverUrl = `http://${addresses.control}:${port}`
  const pollerImage = 'poller:1'
  const env = {
    HOLDFAST_LOG_LEVEL: 'info',
    HOLDFAST_DATABASE_URL: postgres.url,
    HOLDFAST_FORGE_URL: forge.url,
    HOLDFAST_FORGE_TOKEN: secrets.token,
    HOLDFAST_FORGE_WEBHOOK_SECRETS: JSON.stringify([secrets.webhookSecret]),
    HOLDFAST_KEYS_CURRENT: 'k',
    HOLDFAST_KEYS_RING: JSON.stringify({ k: randomBytes(32).toString('base64') }),
    HOLDFAST_FLEET_KIND: 'kubernetes',
    HOLDFAST_FLEET_NAMESPACE: namespaces.ours,
    HOLDFAST_FLEET_SERVER_URL: serverUrl,
    HOLDFAST_FLEET_POLLER_IMAGE: pollerImage,
  }
  const start = (kubeconfig: string): Promise<Life> =>
    startLife({ dataDir: place('holdfast'), port, env: { ...env, HOLDFAST_FLEET_KUBECONFIG: kubeconfig } })
  // The first start leaves its compiled sources behind, as an installation's does; the second is measured.
  let life = await start(cluster.kubeconfig)
  const end = (): Promise<void> => life.end()
  closers.push(end)
  await end()
  life = await start(cluster.kubeconfig)
  signal.throwIfAborted()
  const ledger = await openBenchLedger(postgres.url)
  closers.push(ledger.close)
  const where = `/apis/holdfast.dev/v1alpha1/namespaces/${namespaces.ours}/runnerpools/${poolName}`
  return {
    cluster,
    api,
    kubelets,
    board,
    forge,
    relay,
    ledger,
    close,
    postgresPid: postgres.pid,
    site: {
      namespace: namespaces.ours,
      hostId,
      tokenSeconds: 3_600,
      pollMs,
      audience: 'holdfast',
      serverUrl,
      pollerImage,
      serviceAccount: 'default',
    },
    forgePid: () => forge.pid,
    life: () => life,
    async restart(watchLateMs) {
      await end()
      if (watchLateMs === undefined) life = await start(cluster.kubeconfig)
      else {
        const kubeconfig = place('late.kubeconfig')
        closers.push(await startLagging(api, watchLateMs, kubeconfig))
        life = await start(kubeconfig)
      }
    },
    async clear() {
      await end()
      await forge.cancelAll()
      relay.forget()
      await ledger.wipe()
      await removePods(api)
      life = await start(cluster.kubeconfig)
    },
    async pool(over) {
      const object = {
        apiVersion: 'holdfast.dev/v1alpha1',
        kind: 'RunnerPool',
        metadata: { name: poolName },
        spec: poolSpec(over),
      }
      const applied = `${where}?fieldManager=bench&force=true`
      must('pool', await api.call('PATCH', applied, object, 'application/apply-patch+yaml'))
    },
  }
}

const removedAtOnce = 8

/** Also those that a Holdfast keeps which is not there any more. */
async function removePods(api: BareApi): Promise<void> {
  const where = `/api/v1/namespaces/${namespaces.ours}/pods`
  const { items } = JSON.parse(must('pods', await api.call('GET', where))) as {
    items: { metadata: { name: string } }[]
  }
  await forEach(items, removedAtOnce, async ({ metadata: { name } }) => {
    const bare = { metadata: { finalizers: null } }
    await api.call('PATCH', `${where}/${name}`, bare, 'application/merge-patch+json')
    await api.call('DELETE', `${where}/${name}?gracePeriodSeconds=0`)
  })
}
