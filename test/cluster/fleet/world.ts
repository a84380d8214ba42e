import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { freePort } from '../../../src/main/machine/free-port.ts'
import { type CrashForge, startForge } from '../../crash/forge.ts'
import { start as startPostgres } from '../../support/embedded.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { addresses, type Cluster, up } from '../index.ts'
import { until } from '../machine/until.ts'
import { suiteName } from '../testing/names.ts'
import { makeNamespace } from '../testing/namespaces.ts'
import { leaveShared, openShared } from '../testing/shared.ts'
import { type Life, startHoldfast } from './holdfast.ts'
import { loadFleetImages } from './images.ts'
import { type Rows, readRows } from './ledger.ts'
import { asHoldfast } from './rights.ts'

const crdFile = fileURLToPath(new URL('../../../deploy/crds/holdfast.dev_runnerpools.yaml', import.meta.url))
const establishedWithinMs = 20_000
const alreadyThere = 409
const say = (line: string): void => console.log(line)

/** Deadlines of seconds instead of minutes, so that a test is short; the order of things is the same. */
const hurried = {
  HOLDFAST_DISPATCH_POLL_MS: '5000',
  HOLDFAST_DISPATCH_MINT_DEADLINE_MS: '15000',
  HOLDFAST_DISPATCH_REGISTER_DEADLINE_MS: '60000',
  HOLDFAST_DISPATCH_START_DEADLINE_MS: '20000',
  HOLDFAST_RECOVERY_TICK_MS: '500',
  HOLDFAST_RECOVERY_STALE_QUEUED_AFTER_MS: '5000',
  HOLDFAST_RECOVERY_AUDIT_EVERY_MS: '5000',
}

export interface WorldOptions {
  readonly nodes?: number
  readonly kwokNodes?: number
  /** Why it must have a cluster of its own; null: it may share one. */
  readonly own?: string | null
}

/** Everything from the forge to the node, real but for the forge. */
export interface World extends AsyncDisposable {
  readonly cluster: Cluster
  /** Its own, in which its pools and pods are. */
  readonly namespace: string
  /** Where things of its namespace are at the API server, such as `pods/linux-1`. */
  at(what: string): string
  readonly poolsPath: string
  readonly forge: CrashForge
  readonly rows: Rows
  /** Settings of every Holdfast of it. */
  readonly env: Readonly<Record<string, string>>
  /** Starts a Holdfast; several share the ledger and the cluster. */
  holdfast(options?: {
    readonly crashAt?: string
    readonly name?: string
    /** Settings of this one, in addition to those that all share. */
    readonly env?: Readonly<Record<string, string>>
    /** As people start it: for what it prints. */
    readonly byHand?: boolean
  }): Promise<Life>
  /** Declares a pool, or changes its declaration. */
  pool(name: string, spec?: object): Promise<void>
  // biome-ignore lint/suspicious/noExplicitAny: the API server's objects, read by tests
  readPool(name: string): Promise<any>
  removePool(name: string): Promise<void>
  submit(script: string, label?: string): Promise<number>
  /** Fetches a job's log from the forge. */
  log(job: number): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: the API server's objects, read by tests
  pods(): Promise<readonly any[]>
}

/**
 * A namespace of a cluster, with a forge and a ledger of its own. No Holdfast runs yet. The cluster is the one
 * that suites share, unless `own` says why it must be another.
 */
export async function openWorld(
  word: string,
  { nodes = 1, kwokNodes = 0, own = null }: WorldOptions = {},
): Promise<World> {
  const folder = await temporaryFolder('holdfast-fleet-')
  const place = (name: string) => path.join(folder.path, name)
  const shared = own === null ? await openShared(nodes, kwokNodes) : null
  const cluster = shared ?? (await up({ name: suiteName(word), nodes, kwokNodes }, say))
  const namespace = word
  const at = (what: string) => `/api/v1/namespaces/${namespace}/${what}`
  const poolsPath = `/apis/holdfast.dev/v1alpha1/namespaces/${namespace}/runnerpools`
  await makeNamespace(cluster, namespace)
  const postgres = await startPostgres(place('ledger'))
  const rows = await readRows(postgres.url)
  await declareKind(cluster)
  const images = await loadFleetImages(cluster)
  const port = await freePort('127.0.0.1')
  const secrets = { token: randomBytes(16).toString('hex'), webhookSecret: randomBytes(16).toString('hex') }
  const forgePort = await freePort('127.0.0.1')
  await mkdir(place('forge'))
  const seenByPods = (at: number) => `http://${addresses.control}:${at}`
  const forge = await startForge(place('forge'), `http://127.0.0.1:${port}/webhooks/forge`, secrets, [
    ...['--port', `${forgePort}`, '--runners-url', seenByPods(forgePort)],
  ])
  await cluster.expose(forgePort)
  await cluster.expose(port)
  const env = {
    ...hurried,
    HOLDFAST_DATABASE_URL: postgres.url,
    HOLDFAST_FORGE_URL: forge.url,
    HOLDFAST_FORGE_TOKEN: secrets.token,
    HOLDFAST_FORGE_WEBHOOK_SECRETS: JSON.stringify([secrets.webhookSecret]),
    HOLDFAST_KEYS_CURRENT: 'k',
    HOLDFAST_KEYS_RING: JSON.stringify({ k: randomBytes(32).toString('base64') }),
    HOLDFAST_FLEET_KIND: 'kubernetes',
    HOLDFAST_FLEET_KUBECONFIG: await asHoldfast(cluster, namespace, place('kubeconfig')),
    HOLDFAST_FLEET_LEASE_SECONDS: '4',
    HOLDFAST_FLEET_NAMESPACE: namespace,
    HOLDFAST_FLEET_SERVER_URL: seenByPods(port),
    HOLDFAST_FLEET_POLLER_IMAGE: images.poller,
  }
  const lives = new Set<Life>()
  return {
    cluster,
    namespace,
    at,
    poolsPath,
    forge,
    rows,
    env,
    async holdfast({ crashAt, byHand, name = 'holdfast', env: more = {} } = {}) {
      const own = name === 'holdfast' ? port : await freePort('127.0.0.1')
      const at = { dataDir: place(name), port: own, env: { ...env, ...more }, byHand }
      const life = await startHoldfast(at, crashAt)
      lives.add(life)
      void life.exited.then(() => lives.delete(life))
      return life
    },
    async pool(name, spec = {}) {
      const object = {
        apiVersion: 'holdfast.dev/v1alpha1',
        kind: 'RunnerPool',
        metadata: { name },
        spec: {
          labels: ['self-hosted', name],
          image: images.runner,
          command: images.runnerCommand,
          minWarm: 0,
          maxRunners: 4,
          ...spec,
        },
      }
      const applied = `${poolsPath}/${name}?fieldManager=test&force=true`
      const answer = await cluster.api.request('PATCH', applied, object, 'application/apply-patch+yaml')
      if (answer.status > 201) throw new Error(`pool ${name}: ${answer.status} ${answer.text}`)
    },
    readPool: async (name) => (await cluster.api.request('GET', `${poolsPath}/${name}`)).body,
    async removePool(name) {
      await cluster.api.request('DELETE', `${poolsPath}/${name}`)
    },
    submit: (script, label = 'linux') =>
      forge.submit({ repository: 'acme/app', name: 'build', script, labels: ['self-hosted', label] }),
    async log(job) {
      const headers = { authorization: `Bearer ${secrets.token}` }
      return (await fetch(`${forge.url}/repos/acme/app/actions/jobs/${job}/logs`, { headers })).text()
    },
    pods: async () => (await cluster.api.request('GET', at('pods'))).body.items,
    async [Symbol.asyncDispose]() {
      for (const life of lives) life.signal('SIGKILL')
      await Promise.all([...lives].map((life) => life.exited))
      await forge.stop()
      await rows.close()
      await postgres.stop()
      if (shared === null) await cluster[Symbol.asyncDispose]()
      else await leaveShared(cluster, namespace)
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Teaches the cluster what a RunnerPool is. */
export async function declareKind(cluster: Cluster): Promise<void> {
  const crd = parse(await readFile(crdFile, 'utf8'))
  const where = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const answer = await cluster.api.request('POST', where, crd)
  if (answer.status !== 201 && answer.status !== alreadyThere)
    throw new Error(`the CRD was refused: ${answer.text}`)
  await until('RunnerPools are served', establishedWithinMs, async () => {
    return (await cluster.api.request('GET', '/apis/holdfast.dev/v1alpha1/runnerpools')).status === 200
  })
}
