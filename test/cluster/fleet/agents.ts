import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { type Explanation, explanationSchema } from '../../../src/api/index.ts'
import type { HostSamples } from '../../../src/domain/death/index.ts'
import { containerProcesses } from '../../deaths/host-side.ts'
import { holdfastImage, makeHoldfastImage } from '../images/index.ts'
import { addresses } from '../index.ts'
import { prepareMachine } from '../machine/needs.ts'
import { until } from '../machine/until.ts'
import type { Life } from './holdfast.ts'
import type { World } from './world.ts'

const file = fileURLToPath(new URL('../../../deploy/agent.yaml', import.meta.url))
/** As the file itself says: `kubectl apply --namespace holdfast`. */
const namespace = 'holdfast'
export const agentAccount = `${namespace}/holdfast-agent`
const inNamespace = `/api/v1/namespaces/${namespace}`
const places: Readonly<Record<string, string>> = {
  ServiceAccount: `${inNamespace}/serviceaccounts`,
  DaemonSet: `/apis/apps/v1/namespaces/${namespace}/daemonsets`,
}
const readyWithinMs = 120_000
const soonMs = 60_000
/** More than tests ask for: a kubelet cuts the time of an end to whole seconds. */
const watchedSamples = 6

// biome-ignore lint/suspicious/noExplicitAny: the API server's objects, read by tests
type Json = any

/** The agents of a cluster's nodes, from `deploy/agent.yaml`, and what is known by them. */
export interface Agents {
  /** Puts their image on the nodes and makes their namespace. */
  prepare(): Promise<void>
  /** Applies the file; waits until every node has its agent. `change` may say more of its container. */
  apply(change?: (securityContext: Json) => void): Promise<void>
  pod(node: string): Promise<Json>
  /** A token of the agent's pod on a node, as the kubelet gives it one. */
  token(node: string): Promise<string>
  /** Kills its program from the host; gives when. */
  kill(node: string): Promise<number>
  /** The content of the file with a pod's samples on its node. */
  fileOf(node: string, podUid: string): Promise<string>
  /** Waits until the agent of a node has seen a pod for some seconds. */
  watches(node: string, podUid: string): Promise<void>
  /** The samples that arrived; undefined where none did. */
  arrived(podUid: string): Promise<HostSamples | undefined>
  /** The samples that arrived after the pod's cgroup was gone. */
  ended(podUid: string): Promise<HostSamples>
}

export function agentsIn(world: World, server: Life): Agents {
  const { cluster, rows } = world
  const url = `http://${addresses.control}:${new URL(server.url).port}`
  const api = async (method: string, at: string, body?: object, contentType?: string): Promise<Json> => {
    const answer = await cluster.api.request(method, at, body, contentType)
    if (answer.status >= 400) throw new Error(`${method} ${at}: ${answer.status} ${answer.text}`)
    return answer.body
  }
  const pod: Agents['pod'] = (node) =>
    until(`the agent of ${node} runs`, soonMs, async () =>
      (await api('GET', `${inNamespace}/pods`)).items.find(
        ({ spec, status, metadata }: Json) =>
          spec.nodeName === node &&
          metadata.deletionTimestamp === undefined &&
          status.containerStatuses?.[0]?.state?.running !== undefined,
      ),
    )
  const ringFile = (node: string, podUid: string) =>
    path.join(cluster.place.folder, node, 'holdfast', 'agent', `${podUid}.ring`)
  const fileOf: Agents['fileOf'] = (node, podUid) => readFile(ringFile(node, podUid), 'utf8').catch(() => '')
  const arrived: Agents['arrived'] = async (podUid) =>
    (await rows.ask('select ring from host_rings where pod_uid = $1', podUid))[0]?.ring
  return {
    pod,
    fileOf,
    arrived,
    async prepare() {
      const { busybox } = await prepareMachine(() => {})
      await cluster.load(await makeHoldfastImage(busybox))
      await api('POST', '/api/v1/namespaces', { kind: 'Namespace', metadata: { name: namespace } })
    },
    async apply(change = () => {}) {
      for (const document of parseAllDocuments(await readFile(file, 'utf8'))) {
        const object = document.toJS()
        if (object.kind === 'DaemonSet') {
          const [container] = object.spec.template.spec.containers
          container.image = holdfastImage
          container.env.find(({ name }: Json) => name === 'HOLDFAST_AGENT_URL').value = url
          // Here two nodes share one kernel, so each agent is given the cgroups of its own node.
          const below = `${cluster.place.id}/$(HOLDFAST_AGENT_NODE)`
          container.env.push({ name: 'HOLDFAST_AGENT_BELOW', value: below })
          change(container.securityContext)
        }
        const at = `${places[object.kind]}/${object.metadata.name}?fieldManager=test&force=true`
        await api('PATCH', at, object, 'application/apply-patch+yaml')
      }
      await until('every node has its agent', readyWithinMs, async () => {
        const { metadata, status } = await api('GET', `${places.DaemonSet}/holdfast-agent`)
        const wanted = status.desiredNumberScheduled
        if (status.observedGeneration !== metadata.generation || wanted === 0) return false
        return status.numberReady === wanted && status.updatedNumberScheduled === wanted
      })
    },
    async token(node) {
      const { metadata } = await pod(node)
      const of = { apiVersion: 'v1', kind: 'Pod', name: metadata.name, uid: metadata.uid }
      const { status } = await api('POST', `${places.ServiceAccount}/holdfast-agent/token`, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: ['holdfast'], expirationSeconds: 600, boundObjectRef: of },
      })
      return status.token
    },
    async kill(node) {
      const [{ containerID }] = (await pod(node)).status.containerStatuses
      process.kill((await containerProcesses(containerID)).init, 'SIGKILL')
      return Date.now()
    },
    async watches(node, podUid) {
      await until(`the agent of ${node} watches ${podUid}`, soonMs, async () => {
        const lines = (await fileOf(node, podUid)).split('\n')
        return lines.filter((line) => line.startsWith('s ')).length >= watchedSamples
      })
    },
    ended: (podUid) =>
      until(`the ring of ${podUid} with its end arrives`, soonMs, async () => {
        const ring = await arrived(podUid)
        return ring?.endedAt != null && ring
      }),
  }
}

/** Fetches Holdfast's explanation of a runner. */
export async function explain({ url, token }: Life, subject: string): Promise<Explanation> {
  const headers = { authorization: `Bearer ${await token()}` }
  const answer = await fetch(`${url}/v1/explain/${encodeURIComponent(subject)}`, { headers })
  if (answer.status !== 200) throw new Error(`explain ${subject}: ${answer.status} ${await answer.text()}`)
  return explanationSchema.parse(await answer.json())
}
