import type { EventFact, FactSource, PodFact, Snapshot } from '../../../src/domain/snapshot/index.ts'
import {
  containerFact,
  forgeJobFact,
  forgeRunnerFact,
  listed,
  listenerFact,
  minuteMs,
  nodeFact,
  objectFact,
  podFact,
  readAt,
  runnerFact,
  runnerSetFact,
  runningState,
  type SnapshotGiven,
  scaleSetFact,
  secretFact,
  snapshotOf,
  templateFact,
  terminatedState,
  waitingState,
} from '../../../src/domain/snapshot/testing/facts.ts'
import { arcSnapshot } from '../arc-states.ts'

const gib = 2 ** 30
const appKeys = { github_app_id: '3f21', github_app_installation_id: '9c04', github_app_private_key: 'aa17' }

/** The snapshots of docs/audits/, by name; `npm run docs` writes them. Two are states that ARC's real controller wrote. */
export const examples: Readonly<Record<string, () => Snapshot>> = {
  'rollover-deadlock': rolloverDeadlock,
  'rate-limited': rateLimited,
  'stale-pull-secret': stalePullSecret,
  burst,
  'pods-pending': podsPending,
  'oom-killed': oomKilled,
  'disk-nearly-full': diskNearlyFull,
  'file-table-full': fileTableFull,
  'runner-evicted': runnerEvicted,
  'next-to-arc': nextToArc,
  'pod-gone': podGone,
  'nix-cache-away': nixCacheAway,
  'declared-drift': () => healthy({}),
  'hosts-loop': hostsLoop,
  'two-attempts': twoAttempts,
  'gitlab-jobs': gitlabJobs,
  'gitlab-orphans': gitlabOrphans,
}

/** Every list was read when the snapshot was taken, and where such facts are read. */
function named(snapshot: Snapshot): Snapshot {
  const { takenAt, cluster, forge } = snapshot
  const readAs = <Facts extends object>(facts: Facts, sources: Readonly<Record<string, FactSource>>): Facts =>
    Object.fromEntries(
      Object.entries(facts).map(([kind, listing]) => [
        kind,
        { ...listing, at: takenAt, source: sources[kind] ?? sources.all },
      ]),
    ) as Facts
  return {
    ...snapshot,
    id: 'example',
    clusterName: 'prod',
    cluster: readAs(cluster, {
      all: 'cluster',
      nodeUsage: 'kubelet',
      nodeSettings: 'kubelet',
      nodeProbes: 'agent',
    }),
    forge: readAs(forge, { all: 'forge' }),
  }
}

/** A fleet in order, of one set with one idle runner, besides what is given. */
function healthy({ cluster = {}, forge = {} }: SnapshotGiven): Snapshot {
  const listener = podFact('linux-listener', {
    namespace: 'arc-systems',
    labels: { 'app.kubernetes.io/component': 'runner-scale-set-listener' },
    owner: { kind: 'AutoscalingListener', name: 'linux-listener', uid: 'uid-arc-systems-linux-listener' },
  })
  const { pods = listed<PodFact>(), ...rest } = cluster
  return named(
    snapshotOf({
      cluster: {
        scaleSets: listed([scaleSetFact('linux')]),
        listeners: listed([listenerFact('linux')]),
        runnerSets: listed([runnerSetFact('linux', { replicas: 1 })]),
        runners: listed([runnerFact('linux-1')]),
        nodes: listed([nodeFact('node-1'), nodeFact('node-2')]),
        secrets: listed([secretFact('github-app', appKeys)]),
        ...rest,
        pods: { ...pods, items: [listener, ...pods.items] },
      },
      forge: { runners: listed([forgeRunnerFact('linux-1')]), ...forge },
    }),
  )
}

function runnerPod(name: string, given: Partial<PodFact> = {}): PodFact {
  return podFact(name, {
    owner: { kind: 'EphemeralRunner', name, uid: `uid-arc-runners-${name}` },
    ...given,
  })
}

function ended(pod: PodFact, state = terminatedState(137, 'OOMKilled')): PodFact {
  return { ...pod, phase: 'Failed', statuses: pod.statuses.map((status) => ({ ...status, state })) }
}

function eventOf(subject: EventFact['subject'], reason: string, message: string): EventFact {
  const at = readAt - 4 * minuteMs
  const namespace = subject.kind === 'Pod' ? 'arc-runners' : 'capi-system'
  return { namespace, type: 'Warning', reason, message, subject, count: 3, firstAt: at, lastAt: at }
}

/** Two job pods of GitLab Runner, with the limits that the LimitRange of their namespace gives where none is stated. */
function gitlabJobs(): Snapshot {
  const pod = (runner: string, index: number, memory: number) =>
    podFact(`runner-t4ns81kwe-project-31-concurrent-${index}-k2p9wq4d`, {
      namespace: 'ci',
      labels: {
        'job.runner.gitlab.com/pod': `runner-t4ns81kwe-project-31-concurrent-${index}`,
        'manager.runner.gitlab.com/name': runner,
      },
      containers: [
        containerFact({ name: 'build', requests: { cpu: 0.5 }, limits: { cpu: 2, memory: memory * gib } }),
        containerFact({ name: 'helper', requests: {}, limits: { memory: gib } }),
      ],
    })
  const range = {
    type: 'Container',
    max: { cpu: 4, memory: 8 * gib },
    min: {},
    defaultLimits: { memory: gib },
    defaultRequests: {},
  }
  return named(
    snapshotOf({
      cluster: {
        pods: listed([pod('shared', 0, 1), pod('shared', 1, 1)]),
        limitRanges: listed([{ ...objectFact('limits', 'ci'), limits: [range] }]),
      },
    }),
  )
}

/** A manager that was killed and started again, its old job pod, its quota, and a cleaner. */
function gitlabOrphans(): Snapshot {
  const image = 'registry.gitlab.com/gitlab-org/gitlab-runner:alpine-v19.4.0'
  const manager = podFact('gitlab-runner-6f7d9c-x2k4p', {
    namespace: 'ci',
    containers: [containerFact({ name: 'gitlab-runner', image })],
  })
  const state = { ...runningState, startedAt: readAt - 12 * minuteMs }
  const pod = podFact('runner-t4ns81kwe-project-31-concurrent-0-k2p9wq4d', {
    namespace: 'ci',
    labels: { 'job.runner.gitlab.com/pod': 'runner-t4ns81kwe-project-31-concurrent-0' },
    annotations: { 'job.runner.gitlab.com/id': '9117', 'job.runner.gitlab.com/timeout': '1h0m0s' },
    containers: [containerFact({ name: 'build' }), containerFact({ name: 'helper' })],
    createdAt: readAt - 31 * minuteMs,
    startedAt: readAt - 31 * minuteMs,
  })
  const deployment = { labels: {}, replicas: 1, available: 1, images: { 'gitlab-runner': image }, args: [] }
  const hard = { pods: 50, 'requests.memory': 32 * gib }
  const cleaner = {
    schedule: '*/10 * * * *',
    isSuspended: false,
    deleting: ['kubectl delete pods --namespace ci --field-selector=status.phase==Failed'],
  }
  return named(
    snapshotOf({
      cluster: {
        pods: listed([{ ...manager, statuses: manager.statuses.map((each) => ({ ...each, state })) }, pod]),
        deployments: listed([{ ...objectFact('gitlab-runner', 'ci'), ...deployment }]),
        quotas: listed([{ ...objectFact('jobs', 'ci'), isScoped: false, hard, used: { pods: 2 } }]),
        cronJobs: listed([{ ...objectFact('pod-cleanup', 'ci'), ...cleaner }]),
      },
    }),
  )
}

function rolloverDeadlock(): Snapshot {
  return withSecret(arcSnapshot('head/c-rollover-deadlock', { withForge: true }), appKeys)
}

/** A state of ARC with the Secret that its set names: the imitated fleet had none. */
function withSecret(snapshot: Snapshot, keys: Readonly<Record<string, string>>): Snapshot {
  const secrets = snapshot.cluster.scaleSets.items.map(({ namespace, credentialSecret }) =>
    secretFact(credentialSecret ?? '', keys, { namespace }),
  )
  return named({ ...snapshot, cluster: { ...snapshot.cluster, secrets: listed(secrets) } })
}

function rateLimited(): Snapshot {
  const state = arcSnapshot('0.14.2/d-listener-crashloop-ratelimited', { withForge: true })
  const snapshot = withSecret(state, { github_token: '77d0' })
  const [{ namespace, name } = secretFact('', {})] = snapshot.cluster.secrets.items
  const { takenAt } = snapshot
  const budget = {
    credential: `${namespace}/${name}`,
    kind: 'personal-token' as const,
    limit: 5_000,
    remaining: 0,
    resetAt: takenAt + 22 * minuteMs,
    at: takenAt,
  }
  return named({ ...snapshot, forge: { ...snapshot.forge, budgets: listed([budget]) } })
}

function stalePullSecret(): Snapshot {
  const refused = waitingState(
    'ImagePullBackOff',
    'Back-off pulling image "ghcr.io/actions/gha-runner-scale-set-controller:0.14.2": 403 Forbidden',
  )
  const waiting = podFact('linux-listener', {
    namespace: 'arc-systems',
    phase: 'Pending',
    imagePullSecrets: ['ghcr-pull'],
    containers: [
      containerFact({ name: 'listener', image: 'ghcr.io/actions/gha-runner-scale-set-controller:0.14.2' }),
    ],
    owner: { kind: 'AutoscalingListener', name: 'linux-listener', uid: 'uid-arc-systems-linux-listener' },
  })
  const statuses = waiting.statuses.map((status) => ({ ...status, state: refused, isReady: false }))
  const pull = (namespace: string, hash: string) =>
    secretFact(
      'ghcr-pull',
      { '.dockerconfigjson': hash },
      { namespace, type: 'kubernetes.io/dockerconfigjson', registries: ['ghcr.io'] },
    )
  const snapshot = healthy({
    cluster: {
      listeners: listed([listenerFact('linux', { imagePullSecrets: ['ghcr-pull'] })]),
      secrets: listed([
        secretFact('github-app', appKeys),
        pull('arc-runners', 'c41e77a2'),
        pull('arc-systems', '09be31d0'),
      ]),
    },
  })
  return named({ ...snapshot, cluster: { ...snapshot.cluster, pods: listed([{ ...waiting, statuses }]) } })
}

function burst(): Snapshot {
  const busy = (name: string, repository: string) =>
    runnerFact(name, {
      job: {
        requestId: name.slice(-1),
        id: null,
        name: 'test',
        repository,
        workflowRef: `${repository}/.github/workflows/ci.yaml@refs/heads/main`,
        runId: 31,
      },
    })
  const held = [busy('linux-1', 'acme/web'), busy('linux-2', 'acme/web'), busy('linux-3', 'acme/api')]
  const waits = [8, 21, 34].map((minutes, index) =>
    forgeJobFact(90 + index, {
      repository: index === 2 ? 'acme/docs' : 'acme/api',
      name: 'integration',
      queuedAt: readAt - minutes * minuteMs,
    }),
  )
  return healthy({
    cluster: {
      scaleSets: listed([scaleSetFact('linux', { maxRunners: 3 })]),
      runnerSets: listed([runnerSetFact('linux', { replicas: 3 })]),
      runners: listed(held),
      pods: listed(held.map(({ name }) => runnerPod(name))),
    },
    forge: {
      jobs: listed(waits),
      runners: listed(held.map(({ name }) => forgeRunnerFact(name, { isBusy: true }))),
    },
  })
}

function podsPending(): Snapshot {
  const at = readAt - 18 * minuteMs
  const unscheduled = (name: string, message: string) =>
    runnerPod(name, {
      phase: 'Pending',
      node: null,
      createdAt: at,
      statuses: [],
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, at }],
    })
  const refused = runnerPod('nix-1', { phase: 'Pending', createdAt: at })
  const message = 'Back-off pulling image "ghcr.io/acme/actions-runner-nix:latest": 401 Unauthorized'
  const statuses = refused.statuses.map((status) => ({
    ...status,
    isReady: false,
    state: waitingState('ImagePullBackOff', message),
  }))
  const memory = '0/2 nodes are available: 2 Insufficient memory.'
  return healthy({
    cluster: {
      pods: listed([
        unscheduled('linux-7', memory),
        unscheduled('linux-8', memory),
        { ...refused, statuses },
      ]),
    },
  })
}

function oomKilled(): Snapshot {
  const limits = { memory: 8 * gib }
  const template = templateFact({ containers: [containerFact({ limits })] })
  const pod = ended(runnerPod('linux-1', { containers: [containerFact({ limits })] }))
  return healthy({
    cluster: { scaleSets: listed([scaleSetFact('linux', { template })]), pods: listed([pod]) },
  })
}

function diskNearlyFull(): Snapshot {
  const usage = (node: string, free: number) => {
    const fs = {
      availableBytes: free * gib,
      capacityBytes: 200 * gib,
      usedBytes: (200 - free) * gib,
      inodesFree: 9_000_000,
      inodes: 12_000_000,
    }
    const rest = { memoryAvailableBytes: 30 * gib, processesMax: 32_768, processes: 900, pods: [] }
    return { node, at: readAt, nodefs: fs, imagefs: { ...fs, availableBytes: (free + 4) * gib }, ...rest }
  }
  const settings = (node: string) => ({
    node,
    maxPods: 110,
    evictionHard: { 'nodefs.available': '10%', 'imagefs.available': '10%', 'memory.available': '100Mi' },
    imageGcHighPercent: 85,
  })
  const limits = { 'ephemeral-storage': 40 * gib }
  const template = templateFact({ containers: [containerFact({ limits })] })
  return healthy({
    cluster: {
      scaleSets: listed([scaleSetFact('linux', { template })]),
      nodeUsage: listed([usage('node-1', 27), usage('node-2', 140)]),
      nodeSettings: listed([settings('node-1'), settings('node-2')]),
    },
  })
}

function fileTableFull(): Snapshot {
  const probe = (node: string, allocated: number) => ({
    node,
    at: readAt,
    fileTable: { allocated, max: 100_000 },
    openFilesMax: 1_048_576,
    workers: [],
  })
  return healthy({ cluster: { nodeProbes: listed([probe('node-1', 97_400), probe('node-2', 8_100)]) } })
}

function runnerEvicted(): Snapshot {
  const message =
    'The node was low on resource: ephemeral-storage. Threshold quantity: 21474836480, available: 19Gi.'
  const at = (minutes: number) => readAt - minutes * minuteMs
  const step = { status: 'completed', conclusion: 'success', startedAt: at(29), completedAt: null }
  const pod = ended(
    runnerPod('linux-1', {
      reason: 'Evicted',
      message,
      createdAt: at(32),
      startedAt: at(32),
      conditions: [{ type: 'PodScheduled', status: 'True', reason: null, message: null, at: at(32) }],
    }),
    terminatedState(137, 'Error', { startedAt: at(31), finishedAt: at(4) }),
  )
  const node = nodeFact('node-1', {
    conditions: [
      { type: 'Ready', status: 'True', reason: 'KubeletReady', message: null, at: null },
      { type: 'DiskPressure', status: 'True', reason: 'KubeletHasDiskPressure', message: null, at: at(5) },
    ],
  })
  return healthy({
    cluster: {
      nodes: listed([node, nodeFact('node-2')]),
      runners: listed([runnerFact('linux-1', { createdAt: at(33) })]),
      pods: listed([pod]),
      events: listed([eventOf({ kind: 'Pod', name: 'linux-1', uid: null }, 'Evicted', message)]),
    },
    forge: {
      jobs: listed([
        forgeJobFact(87, {
          status: 'completed',
          conclusion: 'failure',
          runnerName: 'linux-1',
          queuedAt: at(31),
          startedAt: at(30),
          completedAt: at(1),
          steps: [
            { ...step, number: 1, name: 'Set up job', startedAt: at(30), completedAt: at(30) },
            { ...step, number: 2, name: 'Run tests', status: 'in_progress', conclusion: null },
          ],
          annotations: [
            {
              level: 'failure',
              title: null,
              message: 'The self-hosted runner lost communication with the server.',
            },
          ],
        }),
      ]),
    },
  })
}

/** A pod that went with its node, and a forge whose clock is behind that of the cluster. */
function podGone(): Snapshot {
  const at = (minutes: number) => readAt - minutes * minuteMs
  const event = eventOf(
    { kind: 'Pod', name: 'linux-1', uid: null },
    'TaintManagerEviction',
    'Marking for deletion Pod arc-runners/linux-1',
  )
  return healthy({
    cluster: {
      listeners: listed([listenerFact('linux', { createdAt: at(200) })]),
      runners: listed([runnerFact('linux-1', { createdAt: at(25) })]),
      events: listed([{ ...event, type: 'Normal', count: 1 }]),
    },
    forge: {
      jobs: listed([
        forgeJobFact(87, {
          runnerName: 'linux-1',
          status: 'completed',
          conclusion: 'failure',
          queuedAt: at(26),
          startedAt: at(25) - 40_000,
          completedAt: at(1),
        }),
      ]),
    },
  })
}

/** A set that wants one runner and has three idle ones, next to a runner whose pod was evicted with its job. */
function nextToArc(): Snapshot {
  const { cluster, forge } = runnerEvicted()
  const idle = ['r1', 'r2', 'r3'].map((name, index) =>
    runnerFact(name, { createdAt: readAt - (239 - index) * minuteMs }),
  )
  return healthy({
    cluster: {
      nodes: { ...cluster.nodes, items: [nodeFact('node-1'), nodeFact('node-2')] },
      runners: listed(idle),
      pods: listed([
        ...idle.map(({ name }) => runnerPod(name, { node: 'node-2' })),
        ...cluster.pods.items.filter(({ name }) => name === 'linux-1'),
      ]),
      events: cluster.events,
    },
    forge: { runners: listed(idle.map(({ name }) => forgeRunnerFact(name))), jobs: forge.jobs },
  })
}

function nixCacheAway(): Snapshot {
  const variable = (name: string, value: string) => ({ name, value, from: 'value' as const, ref: null })
  const template = templateFact({
    containers: [
      containerFact({
        env: [
          variable('ATTIC_SERVER', 'http://nix-cache.nix-cache.svc:8080'),
          variable('ATTIC_CACHE', 'main'),
          { name: 'ATTIC_TOKEN', value: null, from: 'secret', ref: 'attic' },
        ],
      }),
    ],
  })
  return healthy({
    cluster: {
      scaleSets: listed([scaleSetFact('linux', { template })]),
      secrets: listed([secretFact('github-app', appKeys), secretFact('attic', { ATTIC_TOKEN: '51f0' })]),
      services: listed([{ ...objectFact('nix-cache', 'nix-cache'), ports: [8080], readyAddresses: 0 }]),
    },
  })
}

function hostsLoop(): Snapshot {
  const stderr = 'bootstrap: exit status 1: mount: /dev/vdb: wrong fs type, bad superblock'
  const failures = ['host-a', 'host-b', 'host-c'].map((name) =>
    eventOf({ kind: 'Machine', name, uid: null }, 'BootstrapFailed', stderr),
  )
  return healthy({ cluster: { events: listed(failures) } })
}

/** A build that was killed on one node and passed on another, of the same commit. */
function twoAttempts(): Snapshot {
  const over = { name: 'Prove linux contract', labels: ['linux'], status: 'completed' }
  const at = (minutes: number) => readAt - minutes * minuteMs
  const step = { number: 3, name: 'Build runner-dashboard', status: 'completed', conclusion: 'failure' }
  const steps = [{ ...step, startedAt: at(19), completedAt: at(14) }]
  const ran = (number: number, startedAt: number, completedAt: number) => ({
    ...over,
    runAttempt: number,
    runnerName: `linux-${number}`,
    queuedAt: startedAt - minuteMs,
    startedAt,
    completedAt,
  })
  return healthy({
    cluster: {
      pods: listed(
        ['node-1', 'node-2'].map((node, index) =>
          runnerPod(`linux-${index + 1}`, { node, phase: index === 0 ? 'Failed' : 'Succeeded' }),
        ),
      ),
    },
    forge: {
      jobs: listed([
        forgeJobFact(87, { ...ran(1, at(20), at(14)), conclusion: 'failure', steps }),
        forgeJobFact(91, { ...ran(2, at(10), at(3)), conclusion: 'success' }),
      ]),
      logs: listed([
        {
          repository: 'acme/web',
          jobId: 87,
          lines: [
            "error: builder for '/nix/store/5x1v-runner-dashboard.drv' failed due to signal 9 (Killed)",
          ],
          isCut: false,
        },
      ]),
    },
  })
}
