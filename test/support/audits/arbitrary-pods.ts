import fc from 'fast-check'
import type { ConditionFact, ContainerStateFact, EventFact } from '../../../src/domain/snapshot/index.ts'
import {
  containerFact,
  listed,
  objectFact,
  podFact,
  readAt,
  runningState,
  secretFact,
  terminatedState,
  waitingState,
} from '../../../src/domain/snapshot/testing/facts.ts'
import { deletedAt, mostly, nodeNames, past, runnerNames, setNames, someOf } from './choose.ts'

const gib = 2 ** 30

const unschedulable = [
  '0/2 nodes are available: 2 Insufficient cpu.',
  '0/2 nodes are available: 2 Insufficient memory.',
  '0/2 nodes are available: 2 Insufficient nvidia.com/gpu.',
  '0/2 nodes are available: 2 node(s) had volume node affinity conflict.',
  "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
  '0/2 nodes are available: 2 node(s) were unschedulable.',
  '0/2 nodes are available: 2 Insufficient ephemeral-storage.',
  '0/2 nodes are available: 2 Too many pods.',
  '0/2 nodes are available: 2 node(s) had untolerated taint {dedicated: gpu}.',
  'pod has unbound immediate PersistentVolumeClaims',
]

const conditions = mostly<readonly ConditionFact[]>(
  [],
  ...unschedulable.map((message) => [
    { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, at: readAt },
  ]),
)

const state = mostly<ContainerStateFact | null>(
  runningState,
  null,
  waitingState('ImagePullBackOff', 'Back-off pulling image: 403 Forbidden from ghcr.io'),
  waitingState('ErrImagePull', 'failed to pull: 401 Unauthorized'),
  waitingState('ContainerCreating'),
  terminatedState(137, 'OOMKilled'),
  terminatedState(137, 'Error'),
  terminatedState(1, 'Error'),
  terminatedState(0, 'Completed'),
)

/** Pods of runners and listeners, their events and logs, and the objects that bound them. */
export const podFacts = {
  pods: someOf([...runnerNames, ...setNames.map((name) => `${name}-listener`)], (name) =>
    fc
      .record({
        node: mostly<string | null>('node-1', 'node-2', null),
        phase: mostly('Running', 'Pending', 'Failed', 'Succeeded'),
        end: mostly(
          { reason: null, message: null },
          { reason: 'Evicted', message: 'The node was low on resource: ephemeral-storage.' },
          { reason: 'Evicted', message: 'The node was low on resource: memory.' },
        ),
        conditions,
        state,
        lastState: mostly<ContainerStateFact | null>(null, terminatedState(137, 'OOMKilled')),
        limit: mostly(8, 1),
        createdAt: past,
        deletedAt,
      })
      .map(({ end, state: now, lastState, limit, ...given }) => {
        const isListener = name.endsWith('-listener')
        const containerName = isListener ? 'listener' : 'runner'
        return podFact(name, {
          ...given,
          ...end,
          ...(isListener && {
            namespace: 'arc-systems',
            labels: { 'app.kubernetes.io/component': 'runner-scale-set-listener' },
            imagePullSecrets: ['ghcr-pull'],
          }),
          owner: {
            kind: isListener ? 'AutoscalingListener' : 'EphemeralRunner',
            name,
            uid: `uid-${isListener ? 'arc-systems' : 'arc-runners'}-${name}`,
          },
          containers: [
            containerFact({
              name: containerName,
              requests: { memory: gib },
              limits: { memory: limit * gib },
            }),
          ],
          statuses: [
            { name: containerName, isReady: true, restarts: 0, imageId: null, state: now, lastState },
          ],
        })
      }),
  ),
  events: fc.array(
    fc
      .record({
        what: mostly(
          ['FailedScheduling', '0/2 nodes are available: 2 Insufficient cpu.'],
          [
            'Failed',
            'Failed to pull image "ghcr.io/actions/gha-runner-scale-set-controller:0.14.2": 403 Forbidden',
          ],
          ['Evicted', 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi.'],
          ['NodeNotReady', 'Node is not ready'],
          ['FailedCreatePodSandBox', 'Failed to create pod sandbox: network plugin is not ready'],
          ['FailedMount', 'Unable to attach or mount volumes'],
          ['SystemOOM', 'System OOM encountered, victim process: node, pid: 31'],
        ),
        subject: mostly(
          ['Pod', 'linux-1'],
          ['Pod', 'linux-listener'],
          ['Node', 'node-1'],
          ['Machine', 'm-1'],
        ),
        lastAt: past,
        count: mostly(1, 40),
      })
      .map(
        ({
          what: [reason = '', message = ''],
          subject: [kind = '', name = ''],
          lastAt,
          count,
        }): EventFact => ({
          namespace: name.endsWith('-listener') ? 'arc-systems' : 'arc-runners',
          type: 'Warning',
          reason,
          message,
          subject: { kind, name, uid: null },
          count,
          firstAt: lastAt,
          lastAt,
        }),
      ),
    { maxLength: 4 },
  ),
  logs: fc.array(
    fc
      .record({
        role: mostly('listener', 'controller', 'runner', 'manager'),
        set: fc.constantFrom(...setNames),
        line: fc.constantFrom(
          'failed(status="403 Forbidden"): API rate limit exceeded for user ID 7',
          'failed to get runner registration token (401 Unauthorized): Bad credentials',
          'Ephemeral runner set spec changed but runners are still active; deleting listener to stop new jobs',
          'Waiting for the running and pending runners to finish',
          'exceeded quota: runners, requested: pods=1, used: pods=2, limited: pods=2',
          'Job message not found',
          'An error occurred: Runner version v2.319.0 is deprecated and cannot receive messages.',
          'Error: spawn ps ENFILE',
          ...setNames.flatMap(controllerLines),
        ),
      })
      .map(({ role, set, line }) => ({
        pod:
          role === 'runner'
            ? { namespace: 'arc-runners', name: `${set}-1` }
            : { namespace: 'arc-systems', name: role === 'listener' ? `${set}-listener` : 'arc-controller' },
        container: role,
        role,
        lines: [line, line],
        isCut: false,
      })),
    { maxLength: 3 },
  ),
  quotas: someOf(['runners'], (name) =>
    mostly(50, 2).map((pods) => ({
      ...objectFact(name),
      isScoped: false,
      hard: { pods },
      used: { pods: 2 },
    })),
  ),
  limitRanges: someOf(['limits'], (name) =>
    mostly(64, 1).map((memory) => ({
      ...objectFact(name),
      limits: [
        {
          type: 'Container',
          max: { memory: memory * gib },
          min: {},
          defaultLimits: { memory: gib },
          defaultRequests: {},
        },
      ],
    })),
  ),
  claims: someOf(['linux-1-work'], (name) =>
    mostly('Bound', 'Pending').map((phase) => ({
      ...objectFact(name),
      phase,
      storageClass: 'fast',
      requestedBytes: gib,
      volume: null,
    })),
  ),
  storageClasses: someOf(['fast'], (name) =>
    fc.boolean().map((bindsOnFirstConsumer) => ({
      name,
      provisioner: 'local',
      isDefault: true,
      bindsOnFirstConsumer,
    })),
  ),
  autoscalers: someOf(['gitlab-runner'], (name) =>
    mostly(1, 5).map((current) => ({
      ...objectFact(name, 'gitlab-runners'),
      target: { kind: 'Deployment', name },
      min: 1,
      max: 5,
      current,
      desired: current,
      conditions: [],
    })),
  ),
  deployments: someOf(['arc-controller', 'host-operator'], (name) =>
    fc.record({ available: mostly(1, 0), tag: mostly('0.14.2', '0.12.1') }).map(({ available, tag }) => ({
      ...objectFact(name, 'arc-systems'),
      labels: {},
      replicas: 1,
      available,
      images: { manager: `ghcr.io/actions/gha-runner-scale-set-controller:${tag}` },
      args: ['--update-strategy=eventual'],
    })),
  ),
  services: someOf(['nix-cache'], (name) =>
    mostly<number | null>(1, 0, null).map((readyAddresses) => ({
      ...objectFact(name, 'nix-cache'),
      ports: [8080],
      readyAddresses,
    })),
  ),
  secrets: someOf(['github-app', 'ghcr-pull', 'attic', 'system-ghcr-pull', 'system-github-app'], (name) =>
    fc.record({ hash: mostly('h1', 'h2'), kind: mostly('app', 'token', 'pem') }).map(({ hash, kind }) => {
      const namespace = name.startsWith('system-') ? 'arc-systems' : 'arc-runners'
      const own = name.replace('system-', '')
      const keys = secretKeys(own, kind, hash)
      const isPull = own === 'ghcr-pull'
      return secretFact(own, keys, {
        namespace,
        uid: `uid-${namespace}-${own}`,
        type: isPull ? 'kubernetes.io/dockerconfigjson' : 'Opaque',
        registries: isPull && kind !== 'pem' ? ['ghcr.io'] : [],
      })
    }),
  ),
  machines: someOf(['m-1'], (name) =>
    fc
      .record({
        phase: mostly('Running', 'Provisioning', 'Failed'),
        message: mostly<string | null>(
          null,
          'cloud-init failed: exit status 1: mount: /dev/vdb: unknown filesystem',
        ),
        createdAt: past,
      })
      .map(({ phase, message, createdAt }) => ({
        ...objectFact(name),
        createdAt,
        phase,
        node: phase === 'Running' ? nodeNames[0] : null,
        version: 'v1.34.4',
        conditions:
          message === null
            ? []
            : [
                {
                  type: 'BootstrapReady',
                  status: 'False',
                  reason: 'BootstrapFailed',
                  message,
                  at: createdAt,
                },
              ],
      })),
  ),
  storageCapacity: fc.constant(listed<never>().items),
  priorityClasses: fc.constant(listed<never>().items),
}

function secretKeys(name: string, kind: string, hash: string): Readonly<Record<string, string>> {
  if (name === 'ghcr-pull') return { '.dockerconfigjson': hash }
  if (name === 'attic') return { ATTIC_TOKEN: hash }
  if (kind === 'token') return { github_token: hash }
  const key = kind === 'pem' ? 'github_app_pem' : 'github_app_private_key'
  return { github_app_id: 'i', github_app_installation_id: 'n', [key]: hash }
}

/** Lines as ARC's controller writes them, about a set and what belongs to it. */
function controllerLines(set: string): readonly string[] {
  const about = {
    autoscalinglistener: { name: `${set}-listener`, namespace: 'arc-systems' },
    autoscalingrunnerset: { name: set, namespace: 'arc-runners' },
    ephemeralrunnerset: { name: `${set}-gen1`, namespace: 'arc-runners' },
    ephemeralrunner: { name: `${set}-1`, namespace: 'arc-runners' },
  }
  const lines: readonly (readonly [keyof typeof about, string])[] = [
    ['autoscalinglistener', 'Listener pod is terminated'],
    ['autoscalingrunnerset', 'Waiting for the running and pending runners to finish'],
    ['autoscalingrunnerset', 'Ephemeral runner set is outdated'],
    ['autoscalingrunnerset', 'Failed to get runner scale set from Actions service'],
    ['ephemeralrunnerset', 'Failed to clean up EphemeralRunners'],
    ['ephemeralrunner', 'Failed to clean up runner from service'],
    ['ephemeralrunner', 'Runner is not finished yet, retrying in 30s'],
    ['ephemeralrunner', 'Resource quota is exceeded; requeue in 30s to retry pod creation'],
  ]
  return lines.map(
    ([kind, text]) => `2026-06-01T02:59:50Z\tINFO\t${text}\t{"${kind}": ${JSON.stringify(about[kind])}}`,
  )
}
