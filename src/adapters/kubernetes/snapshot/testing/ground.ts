import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { SnapshotScope } from '../../../../domain/snapshot/index.ts'
import type { ClusterFactsOrder } from '../../../../ports/cluster-facts.ts'
import { type SeenRequest, status } from '../../client/testing/api-server.ts'
import { type BenchOptions, bench } from '../../client/testing/bench.ts'
import { stamped } from '../../client/testing/stamped.ts'
import { createClusterFactsReader } from '../reader.ts'

const never = new AbortController().signal
export const arcPath = (plural: string) => `/apis/actions.github.com/v1alpha1/${plural}`
export const secretsPath = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`
export const hash = (value: Uint8Array) => createHmac('sha256', 'the key').update(value).digest('hex')

const scaleSetLabels = {
  'actions.github.com/scale-set-name': 'linux',
  'actions.github.com/scale-set-namespace': 'arc-runners',
}
const image = 'ghcr.io/actions/actions-runner:2.331.0'
export const podSpec = { nodeName: 'node-1', containers: [{ name: 'runner', image }] }
export const ran = (name: string) => ({
  phase: 'Running',
  containerStatuses: [{ name, ready: true, state: { running: { startedAt: '2026-06-01T02:00:00Z' } } }],
})
const summary = {
  node: {
    nodeName: 'node-1',
    memory: { time: '2026-06-01T02:59:50Z', availableBytes: 1_000 },
    fs: { availableBytes: 10, capacityBytes: 100, usedBytes: 90, inodesFree: 5, inodes: 50 },
    runtime: { imageFs: { availableBytes: 20 } },
    rlimit: { maxpid: 32_768, curproc: 400 },
  },
  pods: [
    {
      podRef: { namespace: 'arc-runners', name: 'linux-a-runner-1' },
      'ephemeral-storage': { usedBytes: 7 },
      memory: { workingSetBytes: 8 },
    },
  ],
}
const settings = {
  kubeletconfig: {
    maxPods: 110,
    evictionHard: { 'nodefs.available': '10%' },
    imageGCHighThresholdPercent: 85,
    staticPodURLHeader: { Authorization: ['swordfish'] },
  },
}

type Answer = (request: SeenRequest, response: ServerResponse) => void

/** For tests: a cluster with one small fleet of ARC, and the reader of its facts. */
export async function ground(options: BenchOptions = {}) {
  const { api, cluster, clock } = await bench(options)
  const put = (path: string, name: string, namespace: string, fields: object = {}) => {
    const { metadata, ...rest } = fields as { readonly metadata?: object }
    const creationTimestamp = '2026-06-01T01:00:00Z'
    api.truth.put(path, name, { metadata: { namespace, creationTimestamp, ...metadata }, ...rest })
  }
  /** Answers requests for such paths in place of the server. */
  const answer = (path: RegExp, how: Answer) =>
    api.faults.unshift((request, response) => {
      if (!path.test(request.path)) return true
      how(request, response)
      return undefined
    })
  const answerJson = (path: RegExp, body: unknown) =>
    answer(path, (_, response) => void response.end(JSON.stringify(body)))
  const refuse = (path: RegExp, code = 403, reason = 'Forbidden') =>
    answer(path, (request, response) => status(response, code, reason, `${request.path} may not be read`))

  answerJson(/^\/version$/, { gitVersion: 'v1.34.4' })
  answerJson(/\/proxy\/stats\/summary$/, summary)
  answerJson(/\/proxy\/configz$/, settings)
  answer(
    /\/log$/,
    (_, response) => void response.end(stamped('one\nAuthorization: Bearer abcdefghijklmnop\nlast\n')),
  )
  putFleet(put)

  const reader = createClusterFactsReader({ cluster, clock, clusterName: 'test' })
  const read = (scope: Partial<SnapshotScope> = {}, given: Partial<ClusterFactsOrder> = {}, signal = never) =>
    reader.readClusterFacts(
      { scope: { namespaces: null, labels: null, nodes: null, ...scope }, hash, ...given },
      signal,
    )
  return { api, clock, put, answer, answerJson, refuse, read }
}

type Put = (path: string, name: string, namespace: string, fields?: object) => void

function putFleet(put: Put): void {
  put(arcPath('autoscalingrunnersets'), 'linux', 'arc-runners', {
    spec: {
      githubConfigSecret: 'github-app',
      maxRunners: 4,
      template: { spec: { containers: podSpec.containers } },
    },
  })
  put(arcPath('autoscalinglisteners'), 'linux-listener', 'arc-systems', {
    spec: {
      autoscalingRunnerSetName: 'linux',
      autoscalingRunnerSetNamespace: 'arc-runners',
      ephemeralRunnerSetName: 'linux-a',
      maxRunners: 4,
    },
  })
  const labels = scaleSetLabels
  put(arcPath('ephemeralrunnersets'), 'linux-a', 'arc-runners', {
    metadata: { labels },
    spec: { replicas: 1 },
  })
  put(arcPath('ephemeralrunners'), 'linux-a-runner-1', 'arc-runners', {
    metadata: { labels },
    status: { phase: 'Running', ready: true, runnerJITConfig: 'the-jit-of-it' },
  })
  put('/api/v1/pods', 'linux-a-runner-1', 'arc-runners', {
    metadata: { labels },
    spec: podSpec,
    status: ran('runner'),
  })
  put('/api/v1/pods', 'linux-listener', 'arc-systems', {
    metadata: { labels: { ...labels, 'app.kubernetes.io/component': 'runner-scale-set-listener' } },
    spec: { ...podSpec, containers: [{ name: 'listener', image }] },
    status: ran('listener'),
  })
  put('/api/v1/pods', 'web-1', 'shop', { spec: podSpec, status: ran('runner') })
  put('/api/v1/nodes', 'node-1', '', { status: { allocatable: { cpu: '4' } } })
  put('/api/v1/events', 'e-1', 'arc-runners', {
    type: 'Warning',
    reason: 'FailedScheduling',
    message: '0/1 nodes are available',
    involvedObject: { kind: 'Pod', name: 'linux-a-runner-1', uid: 'u' },
    count: 3,
    lastTimestamp: '2026-06-01T02:30:00Z',
  })
  put('/api/v1/resourcequotas', 'q', 'arc-runners', {
    spec: { hard: { pods: '10' } },
    status: { used: { pods: '2' } },
  })
  put('/api/v1/services', 'attic', 'nix-cache', { spec: { ports: [{ port: 8080 }] } })
  put('/apis/discovery.k8s.io/v1/endpointslices', 'attic-x', 'nix-cache', {
    metadata: { labels: { 'kubernetes.io/service-name': 'attic' } },
    endpoints: [
      { addresses: ['10.0.0.1'], conditions: { ready: true } },
      { addresses: ['10.0.0.2'], conditions: { ready: false } },
    ],
  })
  put(secretsPath('arc-runners'), 'github-app', 'arc-runners', { data: { github_token: btoa('swordfish') } })
  put(secretsPath('arc-systems'), 'github-app', 'arc-systems', { data: { github_token: btoa('swordfish') } })
}
