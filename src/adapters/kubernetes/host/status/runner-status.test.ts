import { describe, expect, it } from 'vitest'
import { busyAnnotations } from '../../pods/index.ts'
import type { PodWarning, RunnerPod } from '../objects/objects.ts'
import { aPod, at, leaving, now, running, terminated, waiting } from '../testing/pod.ts'
import { hostedRunnerOf } from './runner-status.ts'

const read = (pod: RunnerPod, over: Partial<Parameters<typeof hostedRunnerOf>[1]> = {}) =>
  hostedRunnerOf(pod, { silentSince: null, warnings: [], now, ...over })

/** The shapes of docs/incidents/live-runner-removed.md: each of them decides whether a pod may be removed. */
const shapes: readonly [title: string, pod: RunnerPod, program: string, state: string][] = [
  ['no statuses yet', aPod(), 'waiting', 'running'],
  [
    'runner is checked',
    aPod({ check: running(), poller: waiting(), runner: waiting() }),
    'waiting',
    'running',
  ],
  [
    'runner was checked, and the poller waits for its image',
    aPod({ check: terminated(0), poller: waiting('ImagePullBackOff'), runner: waiting() }),
    'waiting',
    'running',
  ],
  [
    'check failed',
    aPod({ check: terminated(127), poller: waiting(), runner: waiting(), status: { phase: 'Failed' } }),
    'waiting',
    'exited',
  ],
  ['poller polls', aPod({ poller: running(), runner: waiting() }), 'waiting', 'running'],
  ['poller has a job', aPod({ poller: terminated(0), runner: waiting() }), 'waiting', 'running'],
  ['runner runs', aPod({ poller: terminated(0), runner: running() }), 'started', 'running'],
  [
    'runner runs and is not said to have started',
    aPod({ runner: { ...running(), started: false } }),
    'started',
    'running',
  ],
  [
    'runner said to have started, and nothing else',
    aPod({ runner: { started: true } }),
    'started',
    'running',
  ],
  ['runner terminated', aPod({ runner: terminated(1) }), 'started', 'running'],
  [
    'runner waits after an earlier end',
    aPod({ runner: { ...waiting('CrashLoopBackOff'), lastState: terminated(1).state ?? {} } }),
    'started',
    'running',
  ],
  ['single, no statuses yet', aPod({ shape: 'single' }), 'waiting', 'running'],
  ['single, runs', aPod({ shape: 'single', runner: running() }), 'unknown', 'running'],
  ['single, terminated', aPod({ shape: 'single', runner: terminated(0) }), 'unknown', 'running'],
  ['no label says its shape', aPod({ metadata: { labels: {} }, runner: running() }), 'unknown', 'running'],
]

describe('the status of a pod', () => {
  it.each(shapes)('%s', (_, pod, program, state) => {
    expect(read(pod)).toMatchObject({ program, state })
  })

  it('has a runner that could not be executed as never started', () => {
    const error = terminated(128, { reason: 'StartError', startedAt: '1970-01-01T00:00:00Z' })
    const runner = aPod({
      runner: error,
      status: { phase: 'Failed', containerStatuses: [{ name: 'runner', ...error }] },
    })
    expect(read(runner)).toMatchObject({
      program: 'waiting',
      state: 'exited',
      problem: { kind: 'ConfigError' },
    })
    const ran = terminated(128, { reason: 'StartError' })
    expect(read(aPod({ runner: ran })).program).toBe('started')
  })

  it('proves nothing where its node has been silent since', () => {
    const pod = aPod({ poller: running(), runner: waiting() })
    expect(read(pod, { silentSince: now - 1_000 })).toMatchObject({
      program: 'unknown',
      silentSince: now - 1_000,
    })
    expect(read(aPod({ runner: running() }), { silentSince: now }).program).toBe('started')
  })

  it('is ended when the kubelet says so', () => {
    for (const phase of ['Succeeded', 'Failed']) {
      expect(read(aPod({ status: { phase } }), { silentSince: now })).toMatchObject({
        state: 'exited',
        silentSince: null,
      })
    }
    expect(read(aPod({ status: { phase: 'Unknown' } })).state).toBe('running')
  })

  it('is ended when the pod is being deleted and no container of it can run', () => {
    expect(read(aPod({ metadata: leaving, spec: { nodeName: undefined } })).state).toBe('exited')
    const all = { metadata: leaving, poller: terminated(143), runner: terminated(137) }
    expect(read(aPod(all)).state).toBe('exited')
  })

  it('is not ended while the pod is being deleted and a container of it may run', () => {
    for (const words of [
      { metadata: leaving },
      { metadata: leaving, runner: waiting() },
      { metadata: leaving, runner: running() },
      { metadata: leaving, poller: running(), runner: terminated(0) },
    ]) {
      expect(read(aPod(words)).state).toBe('running')
    }
  })

  it('has the time of the deletion, without the grace period', () => {
    expect(read(aPod({ metadata: leaving })).leavingSince).toBe(now - 30_000)
    expect(read(aPod()).leavingSince).toBeNull()
  })

  it('has the start of its first container, its node and its template', () => {
    const pod = aPod({ poller: terminated(0, { startedAt: at(70) }), runner: running(50) })
    expect(read(pod)).toMatchObject({
      startedAt: now - 70_000,
      node: 'node-1',
      pool: 'linux',
      template: 'abc',
      isProtected: false,
    })
    expect(read(aPod({ metadata: { annotations: busyAnnotations } })).isProtected).toBe(true)
  })
})

describe('the start problem of a pod', () => {
  const kinds: readonly [reason: string, kind: string | null][] = [
    ...['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull'].map(
      (reason) => [reason, 'ImagePull'] as [string, string],
    ),
    ...['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'].map(
      (reason) => [reason, 'ConfigError'] as [string, string],
    ),
    ...['ContainerCreating', 'PodInitializing'].map((reason) => [reason, null] as [string, null]),
  ]
  it.each(kinds)('%s of the check, of the poller and of the runner is %s', (reason, kind) => {
    const words = waiting(reason, 'in its words')
    for (const pod of [
      aPod({ check: words, poller: waiting(), runner: waiting() }),
      aPod({ poller: words, runner: waiting() }),
      aPod({ runner: words }),
    ]) {
      const { problem } = read(pod)
      expect(problem?.kind ?? null).toBe(kind)
      if (kind !== null) expect(problem?.message).toContain('in its words')
      if (kind !== null) expect(problem?.since).toBe(now - 90_000)
    }
  })

  it('is the output of the check, without secrets', () => {
    const message = 'expected the program "x", token=abcdefghijklmnop.\n'
    const pod = (over: Parameters<typeof terminated>[1], exitCode = 127) =>
      aPod({ check: terminated(exitCode, over), poller: waiting(), runner: waiting() })
    expect(read(pod({ message })).problem).toEqual({
      kind: 'ConfigError',
      since: now - 10_000,
      message: 'check: ended with 127: expected the program "x", token=[redacted]',
    })
    expect(read(pod({ reason: 'OOMKilled' }, 137)).problem).toMatchObject({
      kind: 'ConfigError',
      message: 'check: ended with 137 (OOMKilled): no more is said',
    })
  })

  it('is none where the check ended well, or was ended from outside', () => {
    for (const exitCode of [0, 137, 143]) {
      expect(read(aPod({ check: terminated(exitCode), runner: waiting() })).problem).toBeNull()
    }
  })

  it('is a failed init container of the template, but neither a sidecar nor the poller', () => {
    const spec = (restartPolicy?: string) => ({
      initContainers: [{ name: 'prepare', image: 'x', ...(restartPolicy && { restartPolicy }) }],
    })
    const status = { initContainerStatuses: [{ name: 'prepare', ...terminated(1) }] }
    expect(read(aPod({ spec: spec(), status })).problem?.kind).toBe('ConfigError')
    expect(read(aPod({ spec: spec('Always'), status })).problem).toBeNull()
    expect(read(aPod({ poller: terminated(78), runner: waiting() })).problem).toBeNull()
  })

  it('is that no node takes it, since the scheduler says so', () => {
    const status = {
      conditions: [
        ...[{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }],
      ].map((each) => ({ ...each, lastTransitionTime: at(40) })),
    }
    expect(read(aPod({ spec: { nodeName: undefined }, status })).problem).toEqual({
      kind: 'NoHealthyNode',
      message: '0/3 nodes',
      since: now - 40_000,
    })
    expect(read(aPod({ spec: { nodeName: undefined }, status: { conditions: [] } })).problem).toBeNull()
  })

  const unready = [
    { type: 'PodScheduled', status: 'True', lastTransitionTime: at(70) },
    { type: 'PodReadyToStartContainers', status: 'False', lastTransitionTime: at(70) },
  ]
  const warning = (reason: string): PodWarning => ({
    metadata: { name: 'e', uid: 'e', resourceVersion: '1' },
    podName: 'linux-00000001',
    podUid: 'u',
    reason,
    message: 'no such network',
    firstAt: at(50),
    type: 'Warning',
    count: 1,
    lastAt: at(50),
  })

  it('is its sandbox, where a warning says so', () => {
    const pod = aPod({ runner: waiting('ContainerCreating'), status: { conditions: unready } })
    expect(read(pod, { warnings: [warning('FailedCreatePodSandBox')] }).problem).toEqual({
      kind: 'SandboxFailed',
      message: 'FailedCreatePodSandBox: no such network',
      since: now - 50_000,
    })
    const begun = aPod({ poller: running(), status: { conditions: unready } })
    expect(read(begun, { warnings: [warning('FailedCreatePodSandBox')] }).problem).toBeNull()
  })

  it('is its node, which does nothing for a minute', () => {
    const silent = aPod({ status: { conditions: unready, containerStatuses: [], startTime: undefined } })
    expect(read(silent).problem).toMatchObject({ kind: 'NodeSilent', since: now - 70_000 })
    const taken = aPod({ runner: waiting('ContainerCreating'), status: { conditions: unready } })
    expect(read(taken).problem).toMatchObject({ kind: 'NodeSilent' })
    expect(read(silent, { now: now - 15_000 }).problem).toBeNull()
    // Its place is made: it pulls an image, which may take long.
    expect(read(aPod({ runner: waiting('ContainerCreating') })).problem).toBeNull()
    expect(read(aPod({ metadata: leaving, status: { conditions: unready } })).problem).toBeNull()
  })
})
