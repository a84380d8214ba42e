import { labels } from '../../pods/index.ts'
import { type ContainerState, type ContainerStatus, type RunnerPod, toRunnerPod } from '../objects/objects.ts'

/** The time in tests of what a pod says. */
export const now = Date.UTC(2026, 0, 2, 3, 4, 5)
export const at = (agoSeconds: number): string => new Date(now - agoSeconds * 1_000).toISOString()

export interface PodWords {
  readonly name?: string
  readonly shape?: 'isolated' | 'single'
  readonly metadata?: object
  readonly spec?: object
  readonly status?: object
  /** Of the runner's container; absent: no status of it yet. */
  readonly runner?: Partial<ContainerStatus>
  readonly poller?: Partial<ContainerStatus>
  /** Of the container that looks before the poller whether the runner can start. */
  readonly check?: Partial<ContainerStatus>
}

/** For tests: a runner's pod as the API gives it. */
export function rawPod(words: PodWords = {}): Record<string, unknown> {
  const { name = 'linux-00000001', shape = 'isolated', metadata, spec, status, ...statuses } = words
  const { runner, poller, check } = statuses
  const isolated = shape === 'isolated'
  const own = {
    [labels.runner]: name,
    [labels.pool]: 'linux',
    [labels.shape]: shape,
    [labels.template]: 'abc',
  }
  return {
    metadata: {
      name,
      namespace: 'ci',
      uid: `uid-of-${name}`,
      resourceVersion: '1',
      creationTimestamp: at(100),
      labels: own,
      finalizers: ['holdfast.dev/evidence'],
      annotations: { 'holdfast.dev/host': 'here' },
      ...metadata,
    },
    spec: {
      nodeName: 'node-1',
      containers: [{ name: 'runner', image: 'runner:1', resources: { limits: { memory: '1Gi' } } }],
      initContainers: isolated
        ? [
            { name: 'check', image: 'runner:1' },
            { name: 'poller', image: 'poller:1' },
          ]
        : [],
      ...spec,
    },
    status: {
      phase: 'Pending',
      startTime: at(90),
      conditions: [
        { type: 'PodScheduled', status: 'True', lastTransitionTime: at(95) },
        { type: 'PodReadyToStartContainers', status: 'True', lastTransitionTime: at(89) },
      ],
      containerStatuses: runner === undefined ? [] : [{ name: 'runner', ...runner }],
      initContainerStatuses: [
        ...(check === undefined ? [] : [{ name: 'check', ...check }]),
        ...(poller === undefined ? [] : [{ name: 'poller', ...poller }]),
      ],
      ...status,
    },
  }
}

/** For tests: what the view keeps of such a pod. */
export function aPod(words: PodWords = {}): RunnerPod {
  return toRunnerPod(rawPod(words) as unknown as Parameters<typeof toRunnerPod>[0])
}

export const waiting = (reason = 'PodInitializing', message?: string): Partial<ContainerStatus> => ({
  state: { waiting: { reason, ...(message !== undefined && { message }) } },
})
export const running = (agoSeconds = 60): Partial<ContainerStatus> => ({
  started: true,
  state: { running: { startedAt: at(agoSeconds) } },
})
export const terminated = (
  exitCode: number,
  over: Partial<NonNullable<ContainerState['terminated']>> = {},
): Partial<ContainerStatus> => ({
  started: false,
  state: {
    terminated: {
      exitCode,
      reason: exitCode === 0 ? 'Completed' : 'Error',
      startedAt: at(60),
      finishedAt: at(10),
      ...over,
    },
  },
})
export const leaving = { deletionTimestamp: at(0), deletionGracePeriodSeconds: 30 }
