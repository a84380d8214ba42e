import type {
  ClusterFacts,
  ContainerSpecFact,
  ContainerStateFact,
  ForgeFacts,
  ForgeJobFact,
  ForgeRunnerFact,
  ListenerFact,
  Listing,
  NodeFact,
  ObjectFact,
  PodFact,
  PodTemplateFact,
  RunnerFact,
  RunnerSetFact,
  ScaleSetFact,
  SecretFact,
  Snapshot,
} from '../index.ts'

/*
 * Facts for tests: each is an ordinary, healthy one, and a test names what differs. A list that a test does not give is
 * whole and empty.
 */

/** When every fact of these tests was read. */
export const readAt = Date.UTC(2026, 5, 1, 3, 0, 0)
export const minuteMs = 60_000

export function listed<T>(items: readonly T[] = []): Listing<T> {
  return { source: 'cluster', at: readAt, items, unread: [] }
}

/** A list of which a part, or all, could not be read. */
export function unread<T>(what: string, items: readonly T[] = []): Listing<T> {
  return { source: 'cluster', at: readAt, items, unread: [{ what, why: 'forbidden', needs: `list ${what}` }] }
}

export function objectFact(name: string, namespace = 'arc-runners'): ObjectFact {
  return {
    namespace,
    name,
    uid: `uid-${namespace}-${name}`,
    resourceVersion: '1',
    createdAt: readAt - 120 * minuteMs,
    deletedAt: null,
    finalizers: [],
  }
}

export function containerFact(given: Partial<ContainerSpecFact> = {}): ContainerSpecFact {
  return {
    name: 'runner',
    isInit: false,
    isSidecar: false,
    image: 'ghcr.io/actions/actions-runner:2.334.0',
    requests: {},
    limits: {},
    env: [],
    ...given,
  }
}

export function templateFact(given: Partial<PodTemplateFact> = {}): PodTemplateFact {
  return {
    containers: [containerFact()],
    nodeSelector: {},
    tolerations: [],
    nodeAffinity: null,
    volumes: [],
    imagePullSecrets: [],
    priorityClass: null,
    serviceAccount: null,
    overhead: {},
    labels: {},
    podRules: { affinity: [], antiAffinity: [], spread: [] },
    ...given,
  }
}

export function scaleSetFact(name = 'linux', given: Partial<ScaleSetFact> = {}): ScaleSetFact {
  return {
    ...objectFact(name),
    origin: 'arc',
    version: '0.14.2',
    runnerLabels: [name],
    runnerGroup: 'default',
    configUrl: 'https://github.com/acme',
    credentialSecret: 'github-app',
    credentialVault: null,
    minRunners: 0,
    maxRunners: 10,
    template: templateFact(),
    forgeScaleSetId: '7',
    phase: 'Running',
    specHash: 'a1',
    isSingleSetLayout: false,
    reportedRunners: 0,
    ...given,
  }
}

export function listenerFact(set = 'linux', given: Partial<ListenerFact> = {}): ListenerFact {
  return {
    ...objectFact(`${set}-listener`, 'arc-systems'),
    scaleSet: { namespace: 'arc-runners', name: set },
    runnerSetName: `${set}-gen1`,
    minRunners: 0,
    maxRunners: 10,
    image: 'ghcr.io/actions/gha-runner-scale-set-controller:0.14.2',
    credentialSecret: 'github-app',
    imagePullSecrets: [],
    ...given,
  }
}

export function runnerSetFact(set = 'linux', given: Partial<RunnerSetFact> = {}): RunnerSetFact {
  return {
    ...objectFact(`${set}-gen1`),
    scaleSet: { namespace: 'arc-runners', name: set },
    specHash: 'a1',
    replicas: 0,
    patchId: 0,
    phase: 'Running',
    images: { runner: 'ghcr.io/actions/actions-runner:2.334.0' },
    reported: { current: 0, pending: 0, running: 0, failed: 0 },
    ...given,
  }
}

export function runnerFact(name: string, given: Partial<RunnerFact> = {}): RunnerFact {
  const set = given.scaleSet?.name ?? 'linux'
  return {
    ...objectFact(name),
    origin: 'arc',
    scaleSet: { namespace: 'arc-runners', name: set },
    runnerSet: { name: `${set}-gen1`, uid: `uid-arc-runners-${set}-gen1` },
    phase: 'Running',
    reason: null,
    message: null,
    isReady: true,
    forgeRunnerId: 100,
    job: null,
    failures: [],
    specHash: 'a1',
    images: { runner: 'ghcr.io/actions/actions-runner:2.334.0' },
    ...given,
  }
}

export const runningState: ContainerStateFact = {
  kind: 'running',
  reason: null,
  message: null,
  exitCode: null,
  signal: null,
  startedAt: readAt - 60 * minuteMs,
  finishedAt: null,
}

export function waitingState(reason: string, message: string | null = null): ContainerStateFact {
  return { ...runningState, kind: 'waiting', reason, message, startedAt: null }
}

export function terminatedState(
  exitCode: number,
  reason: string,
  given: Partial<ContainerStateFact> = {},
): ContainerStateFact {
  return { ...runningState, kind: 'terminated', exitCode, reason, finishedAt: readAt - minuteMs, ...given }
}

export function podFact(name: string, given: Partial<PodFact> = {}): PodFact {
  const containers = given.containers ?? [containerFact()]
  return {
    ...objectFact(name),
    ...templateFact(),
    containers,
    labels: {},
    annotations: {},
    owner: null,
    node: 'node-1',
    phase: 'Running',
    reason: null,
    message: null,
    startedAt: readAt - 60 * minuteMs,
    conditions: [],
    statuses: containers.map((container) => ({
      name: container.name,
      isReady: true,
      restarts: 0,
      imageId: null,
      state: runningState,
      lastState: null,
    })),
    priority: null,
    ...given,
  }
}

export function nodeFact(name = 'node-1', given: Partial<NodeFact> = {}): NodeFact {
  const allocatable = { cpu: 16, memory: 64 * 2 ** 30, 'ephemeral-storage': 200 * 2 ** 30, pods: 110 }
  return {
    ...objectFact(name, ''),
    labels: { 'kubernetes.io/hostname': name },
    isCordoned: false,
    taints: [],
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: null, at: null }],
    allocatable,
    capacity: allocatable,
    kubeletVersion: 'v1.34.4',
    osImage: null,
    bootId: null,
    images: [],
    machine: null,
    ...given,
  }
}

export function secretFact(
  name: string,
  keys: Readonly<Record<string, string>>,
  given: Partial<SecretFact> = {},
): SecretFact {
  return {
    ...objectFact(name),
    type: 'Opaque',
    keys: Object.entries(keys).map(([key, hash]) => ({ name: key, hash })),
    registries: [],
    ...given,
  }
}

export function forgeRunnerFact(name: string, given: Partial<ForgeRunnerFact> = {}): ForgeRunnerFact {
  return {
    scope: 'acme',
    id: 100,
    name,
    isOnline: true,
    isBusy: false,
    labels: ['linux'],
    version: null,
    ...given,
  }
}

export function forgeJobFact(jobId: number, given: Partial<ForgeJobFact> = {}): ForgeJobFact {
  return {
    repository: 'acme/web',
    runId: 31,
    runAttempt: 1,
    jobId,
    name: 'test',
    workflow: 'ci',
    status: 'queued',
    conclusion: null,
    labels: ['linux'],
    runnerName: null,
    runnerId: null,
    headSha: '0123456789abcdef0123456789abcdef01234567',
    queuedAt: readAt - 10 * minuteMs,
    startedAt: null,
    completedAt: null,
    steps: null,
    annotations: null,
    url: `https://github.com/acme/web/actions/runs/31/job/${jobId}`,
    ...given,
  }
}

export interface SnapshotGiven {
  readonly cluster?: Partial<ClusterFacts>
  readonly forge?: Partial<ForgeFacts>
  readonly snapshot?: Partial<Omit<Snapshot, 'cluster' | 'forge'>>
}

export function snapshotOf({ cluster = {}, forge = {}, snapshot = {} }: SnapshotGiven = {}): Snapshot {
  return {
    version: 1,
    id: 'test',
    takenAt: readAt,
    program: 'test',
    clusterName: 'test',
    clusterVersion: 'v1.34.4',
    scope: { namespaces: null, labels: null, nodes: null },
    hashScope: 'test',
    cost: { requests: 0, bytes: 0, ms: 0 },
    cluster: {
      scaleSets: listed(),
      listeners: listed(),
      runnerSets: listed(),
      runners: listed(),
      pods: listed(),
      nodes: listed(),
      nodeUsage: listed(),
      nodeSettings: listed(),
      nodeProbes: listed(),
      events: listed(),
      quotas: listed(),
      limitRanges: listed(),
      claims: listed(),
      storageClasses: listed(),
      storageCapacity: listed(),
      autoscalers: listed(),
      priorityClasses: listed(),
      deployments: listed(),
      services: listed(),
      secrets: listed(),
      logs: listed(),
      runnerLogs: listed(),
      machines: listed(),
      namespaces: listed(),
      cronJobs: listed(),
      ...cluster,
    },
    forge: {
      runners: listed(),
      jobs: listed(),
      logs: listed(),
      budgets: listed(),
      ...forge,
    },
    ...snapshot,
  }
}
