import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseAllDocuments, stringify } from 'yaml'
import { containerProcesses } from '../../deaths/host-side.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { makeHoldfastImage } from '../images/index.ts'
import { addresses } from '../index.ts'
import { prepareMachine } from '../machine/needs.ts'
import { until } from '../machine/until.ts'
import { tearNamespace } from '../testing/namespaces.ts'
import { type Served, serveService } from '../testing/service.ts'
import type { World } from './world.ts'

const run = promisify(execFile)
const file = fileURLToPath(new URL('../../../deploy/holdfast.yaml', import.meta.url))
const readyWithin = '180s'
const ledWithinMs = 60_000
/** The world's namespace, since the file names it. */
export const runnersNamespace = 'holdfast-runners'
const namespace = 'holdfast'

// biome-ignore lint/suspicious/noExplicitAny: the API server's objects, read by tests
type Json = any

/** Holdfast as `deploy/holdfast.yaml` runs it, with the commands of docs/run-in-a-cluster.md. */
export interface InCluster extends AsyncDisposable {
  readonly service: Served
  readonly operatorToken: string
  /** Its pods that are not on their way out. */
  pods(): Promise<readonly Json[]>
  /** The pod that leads, other than this one. */
  leader(other?: string): Promise<string>
  /** Kills a replica's program and forces its pod out of the cluster. */
  tear(pod: string): Promise<void>
  /** The recent logs of its pods. */
  logs(): Promise<string>
}

export async function runInCluster(world: World): Promise<InCluster> {
  const { cluster } = world
  const folder = await temporaryFolder('holdfast-in-cluster-')
  const kubectl = async (...args: string[]): Promise<string> =>
    (await run(path.join(cluster.place.folder, 'kubectl'), ['--kubeconfig', cluster.kubeconfig, ...args]))
      .stdout
  const inNamespace = (...args: string[]) => kubectl('--namespace', namespace, ...args)
  if ((await cluster.api.request('GET', `/api/v1/namespaces/${namespace}`)).status === 200)
    await tearNamespace(cluster, namespace)
  const { busybox } = await prepareMachine(() => {})
  await cluster.load({ ...(await makeHoldfastImage(busybox)), name: await imageInFile() })
  const operatorToken = randomBytes(24).toString('base64url')
  const seen = new URL(world.env.HOLDFAST_DATABASE_URL as string)
  await cluster.expose(Number(seen.port))
  seen.hostname = addresses.control
  const secrets = {
    'database-url': seen.href,
    'operator-token': operatorToken,
    'keys-current': world.env.HOLDFAST_KEYS_CURRENT as string,
    'keys-ring': world.env.HOLDFAST_KEYS_RING as string,
    'forge-token': world.env.HOLDFAST_FORGE_TOKEN as string,
    'webhook-secret': JSON.parse(world.env.HOLDFAST_FORGE_WEBHOOK_SECRETS as string)[0],
  }
  await kubectl('create', 'namespace', namespace)
  const literals = Object.entries(secrets).map(([name, value]) => `--from-literal=${name}=${value}`)
  await inNamespace('create', 'secret', 'generic', 'holdfast', ...literals)
  const settings = path.join(folder.path, 'holdfast.yaml')
  await writeFile(settings, stringify(settingsOf(world)))
  await inNamespace('create', 'configmap', 'holdfast', `--from-file=${settings}`)
  await kubectl('apply', '--server-side', '--force-conflicts', '--filename', file)
  const service = await serveService(cluster, {
    namespace,
    name: 'holdfast',
    port: Number(new URL(world.env.HOLDFAST_FLEET_SERVER_URL as string).port),
  })
  const pods: InCluster['pods'] = async () =>
    (await cluster.api.request('GET', `/api/v1/namespaces/${namespace}/pods`)).body.items.filter(
      ({ metadata }: Json) => metadata.deletionTimestamp === undefined,
    )
  const logs = () => inNamespace('logs', '--selector', 'app.kubernetes.io/component=server', '--tail', '60')
  await inNamespace('rollout', 'status', 'deployment/holdfast', `--timeout=${readyWithin}`).catch(
    async (error: Error) => {
      throw new Error(`${error.message}\n${await inNamespace('describe', 'pods')}\n${await logs()}`)
    },
  )
  await until('the Service reaches both replicas', ledWithinMs, async () => service.backends() === 2)
  const lease = `/apis/coordination.k8s.io/v1/namespaces/${runnersNamespace}/leases/holdfast`
  return {
    service,
    operatorToken,
    pods,
    logs,
    leader: (other) =>
      until('a replica leads', ledWithinMs, async () => {
        const holder = ((await cluster.api.request('GET', lease)).body.spec?.holderIdentity ?? '') as string
        const names = (await pods()).map(({ metadata }) => metadata.name as string)
        return names.find((name) => name !== other && holder.startsWith(`${name}-`))
      }),
    async tear(pod) {
      const at = `/api/v1/namespaces/${namespace}/pods/${pod}`
      const { body } = await cluster.api.request('GET', at)
      const { init } = await containerProcesses(body.status.containerStatuses[0].containerID)
      process.kill(init, 'SIGKILL')
      await inNamespace('delete', 'pod', pod, '--force', '--grace-period=0')
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await tearNamespace(cluster, namespace)
      await kubectl('delete', 'clusterrolebinding', 'holdfast', '--ignore-not-found')
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** The image that the file names: it is given to the nodes by that name. */
async function imageInFile(): Promise<string> {
  const objects: Json[] = parseAllDocuments(await readFile(file, 'utf8')).map((document) => document.toJS())
  return objects.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0].image
}

/** A user's holdfast.yaml, with deadlines of seconds. */
function settingsOf({ env }: World): object {
  const secret = (name: string) => `file:/etc/holdfast/secrets/${name}`
  const forge = new URL(env.HOLDFAST_FORGE_URL as string)
  forge.hostname = addresses.control
  const ms = (name: string) => Number(env[name])
  return {
    forge: { url: forge.origin, token: secret('forge-token'), webhookSecrets: [secret('webhook-secret')] },
    fleet: { pollerImage: env.HOLDFAST_FLEET_POLLER_IMAGE, leaseSeconds: ms('HOLDFAST_FLEET_LEASE_SECONDS') },
    dispatch: {
      pollMs: ms('HOLDFAST_DISPATCH_POLL_MS'),
      mintDeadlineMs: ms('HOLDFAST_DISPATCH_MINT_DEADLINE_MS'),
      registerDeadlineMs: ms('HOLDFAST_DISPATCH_REGISTER_DEADLINE_MS'),
      startDeadlineMs: ms('HOLDFAST_DISPATCH_START_DEADLINE_MS'),
    },
    recovery: {
      tickMs: ms('HOLDFAST_RECOVERY_TICK_MS'),
      staleQueuedAfterMs: ms('HOLDFAST_RECOVERY_STALE_QUEUED_AFTER_MS'),
      auditEveryMs: ms('HOLDFAST_RECOVERY_AUDIT_EVERY_MS'),
    },
  }
}
