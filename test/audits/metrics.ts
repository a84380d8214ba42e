import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { addresses, type Cluster } from '../cluster/index.ts'
import { makeNamespace } from '../cluster/testing/namespaces.ts'
import type { Json } from './stage.ts'

const group = 'metrics.k8s.io'
const version = 'v1beta1'
const namespace = 'audits-metrics'
export const metricsApi = `/apis/apiregistration.k8s.io/v1/apiservices/${version}.${group}`
/** The label of a pod that says how much of a processor it uses; it uses none really. */
export const usageLabel = 'holdfast.test/cpu'

/** Serves what a metrics server would say about pods with the label, through the API server, as autoscalers ask it. */
export async function serveMetrics(cluster: Cluster): Promise<AsyncDisposable> {
  const file = (name: string) => readFile(path.join(cluster.place.certificates, name))
  const identity = { cert: await file('apiserver.crt'), key: await file('apiserver.key') }
  const server = createServer(identity, async ({ url = '' }, response) => {
    const answer = await answerTo(cluster, new URL(url, 'https://metrics'))
    response.writeHead(answer === null ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await cluster.expose(port)
  await register(cluster, port)
  return { [Symbol.asyncDispose]: () => closed(server) }
}

/** A service of this kind needs no proxy: the API server calls the address itself. */
async function register(cluster: Cluster, port: number): Promise<void> {
  await makeNamespace(cluster, namespace)
  await cluster.api.request('POST', `/api/v1/namespaces/${namespace}/services`, {
    metadata: { name: 'metrics' },
    spec: { type: 'ExternalName', externalName: addresses.control, ports: [{ port }] },
  })
  const answer = await cluster.api.request('POST', path.dirname(metricsApi), {
    metadata: { name: path.basename(metricsApi) },
    spec: {
      group,
      version,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { namespace, name: 'metrics', port },
    },
  })
  if (answer.status !== 201) throw new Error(`the metrics API was refused: ${answer.text}`)
}

async function answerTo({ api }: Cluster, { pathname, search }: URL): Promise<Json> {
  const pods = /^\/apis\/metrics\.k8s\.io\/v1beta1\/namespaces\/([^/]+)\/pods$/.exec(pathname)
  if (pods === null) return pathname === `/apis/${group}/${version}` ? resources : null
  const { body } = await api.request('GET', `/api/v1/namespaces/${pods[1]}/pods${search}`)
  const items = body.items.filter(({ metadata }: Json) => metadata.labels?.[usageLabel] !== undefined)
  return {
    kind: 'PodMetricsList',
    apiVersion: `${group}/${version}`,
    metadata: {},
    items: items.map(metricsOf),
  }
}

const resources = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${group}/${version}`,
  resources: [
    { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] },
  ],
}

function metricsOf({ metadata, spec }: Json): object {
  const { name, namespace: where, labels } = metadata
  const usage = { cpu: labels[usageLabel], memory: '1Mi' }
  const containers = spec.containers.map((each: Json) => ({ name: each.name, usage }))
  const timestamp = new Date().toISOString()
  return { metadata: { name, namespace: where, labels }, timestamp, window: '1s', containers }
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
