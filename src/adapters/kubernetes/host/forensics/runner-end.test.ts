import { describe, expect, it } from 'vitest'
import { classifyDeath } from '../../../../domain/death/index.ts'
import type { RunnerPod } from '../objects/objects.ts'
import { aPod, at, leaving, now, running, terminated, waiting } from '../testing/pod.ts'
import { type EndFacts, endingFrom } from './runner-end.ts'

const nothingCaptured = { tail: '', tails: new Map(), missing: [], events: [], nodeAtEnd: null }
const end = (pod: RunnerPod, over: Partial<EndFacts> = {}) =>
  endingFrom({
    pod,
    ...nothingCaptured,
    now,
    startProblem: null,
    stopRequestedBy: null,
    goneAt: null,
    silentSince: null,
    ...over,
  })
const classOf = (...given: Parameters<typeof end>) => classifyDeath(end(...given)).class
const failed = { phase: 'Failed' }
const disrupted = (reason: string) => ({
  ...failed,
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message: 'in its words' }],
})
const noImage = { kind: 'ImagePull', message: 'no such image', since: now } as const
const lostSight = terminated(137, { reason: 'ContainerStatusUnknown', startedAt: null, finishedAt: null })

const readyAgain = {
  isGone: false,
  isCordoned: false,
  taints: [],
  conditions: [{ type: 'Ready', status: 'True', reason: null, message: null, at: now - 5_000 }],
}

/** Everything that the real kubelet was seen to write, and what it is called. */
const cases: readonly [title: string, expected: string, pod: RunnerPod, over?: Partial<EndFacts>][] = [
  ['exit 0', 'clean', aPod({ runner: terminated(0), status: { phase: 'Succeeded' } })],
  ['exit 3', 'failed', aPod({ runner: terminated(3), status: failed })],
  [
    '137 and OOMKilled',
    'container-oom',
    aPod({ runner: terminated(137, { reason: 'OOMKilled' }), status: failed }),
  ],
  ['137 alone', 'sigkill-unknown', aPod({ runner: terminated(137), status: failed })],
  ['139', 'crash', aPod({ runner: terminated(139), status: failed })],
  [
    'evicted',
    'evicted',
    aPod({ runner: terminated(137), status: { ...failed, reason: 'Evicted', message: 'low on disk' } }),
  ],
  ['preempted', 'preempted', aPod({ runner: terminated(143), status: disrupted('PreemptionByScheduler') })],
  ['drained', 'node-drained', aPod({ runner: terminated(143), status: disrupted('EvictionByEvictionAPI') })],
  ['its node is gone', 'node-lost', aPod({ runner: running(), status: disrupted('DeletionByPodGC') })],
  ['its node is silent', 'node-lost', aPod({ runner: running() }), { silentSince: now - 60_000 }],
  ['deleted by a person', 'deleted', aPod({ metadata: leaving, runner: terminated(137), status: failed })],
  [
    'deleted after its end',
    'failed',
    aPod({ metadata: { deletionTimestamp: at(0) }, runner: terminated(3), status: failed }),
  ],
  [
    'stopped by us',
    'terminated',
    aPod({ metadata: leaving, poller: terminated(10), runner: waiting(), status: failed }),
    { stopRequestedBy: 'nobody needs it' },
  ],
  ['no image', 'image-pull', aPod({ runner: lostSight, status: failed }), { startProblem: noImage }],
  [
    'the check failed',
    'never-started',
    aPod({ check: terminated(127), poller: waiting(), runner: waiting(), status: failed }),
  ],
  ['the poller failed', 'never-started', aPod({ poller: terminated(7), runner: waiting(), status: failed })],
  ['the kubelet lost sight of it', 'unknown', aPod({ runner: lostSight, status: failed })],
  [
    'its node was rebooted',
    'node-lost',
    aPod({ runner: terminated(255, { reason: 'Unknown' }), status: failed }),
    { nodeAtEnd: readyAgain },
  ],
  ['removed under us while it ran', 'unknown', aPod({ runner: running() }), { goneAt: now }],
]

describe('how a pod ended', () => {
  it.each(cases)('%s is %s', (_, expected, pod, over) => {
    expect(classOf(pod, over)).toBe(expected)
  })

  it('has every container with its message, without secrets', () => {
    const message = 'Authorization: Bearer abcdefghijklmnop'
    const pod = aPod({ poller: terminated(0), runner: terminated(1, { message }), status: failed })
    const { containers } = end(pod).pod ?? { containers: [] }
    expect(containers).toMatchObject([
      { name: 'check', isInit: true, state: 'waiting', exitCode: null },
      { name: 'poller', isInit: true, state: 'terminated', exitCode: 0 },
      { name: 'runner', isInit: false, state: 'terminated', exitCode: 1, startedAt: now - 60_000 },
    ])
    expect(containers.at(-1)?.message).not.toContain('abcdefghijklmnop')
  })

  it('has for each container its image, its limits and its earlier ends', () => {
    const digest = `sha256:${'0123456789abcdef'.repeat(4)}`
    const runner = {
      ...terminated(137, { reason: 'OOMKilled' }),
      imageID: `registry.example/runner@${digest}`,
      restartCount: 1,
      lastState: terminated(139, { finishedAt: at(40) }).state ?? {},
    }
    const limits = { memory: '1Gi', cpu: '1500m', 'ephemeral-storage': '10G' }
    const spec = { containers: [{ name: 'runner', image: 'runner:1', resources: { limits } }] }
    expect(end(aPod({ runner, spec, status: failed })).pod?.containers.at(-1)).toMatchObject({
      imageDigest: digest,
      restarts: 1,
      exitCode: 137,
      reason: 'OOMKilled',
      limits: { memoryBytes: 2 ** 30, cpuMillis: 1_500, ephemeralStorageBytes: 10_000_000_000 },
      earlier: { exitCode: 139, reason: 'Error', signal: null, finishedAt: now - 40_000 },
    })
    expect(end(aPod({ runner: waiting(), status: failed })).pod?.containers.at(-1)).toMatchObject({
      imageDigest: null,
      earlier: null,
      limits: { memoryBytes: 2 ** 30, cpuMillis: null, ephemeralStorageBytes: null },
    })
  })

  it('has its volumes in memory and its owners', () => {
    const volumes = [
      { name: 'work', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } },
      { name: 'cache', emptyDir: {} },
    ]
    const containers = [{ name: 'runner', image: 'r' }]
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'home', uid: 'u' }
    const pod = aPod({
      spec: { volumes, containers },
      metadata: { ownerReferences: [owner] },
      runner: terminated(1),
      status: failed,
    })
    expect(end(pod).pod).toMatchObject({
      memoryVolumes: [{ name: 'work', sizeLimitBytes: 64 * 2 ** 20 }],
      owners: [{ kind: 'ConfigMap', name: 'home' }],
    })
  })

  it('has both deaths where two containers of a pod die at once', () => {
    const spec = {
      containers: [
        { name: 'runner', image: 'r' },
        { name: 'dind', image: 'd' },
      ],
    }
    const both = [
      { name: 'runner', ...terminated(137) },
      { name: 'dind', ...terminated(137, { reason: 'OOMKilled' }) },
    ]
    const { pod, exitCode } = end(aPod({ spec, status: { ...failed, containerStatuses: both } }))
    expect(exitCode).toBe(137)
    expect(pod?.containers.slice(-2)).toMatchObject([
      { name: 'runner', exitCode: 137, reason: 'Error' },
      { name: 'dind', exitCode: 137, reason: 'OOMKilled' },
    ])
  })

  it('keeps a bounded number of containers, always with the runner', () => {
    const many = Array.from({ length: 200 }, (_, place) => ({ name: `c${place}`, image: 'c' }))
    const spec = { initContainers: many, containers: [...many, { name: 'runner', image: 'r' }] }
    const { containers } = end(aPod({ spec, runner: terminated(1), status: failed })).pod ?? {
      containers: [],
    }
    expect(containers).toHaveLength(41)
    expect(containers.at(-1)).toMatchObject({ name: 'runner', exitCode: 1 })
  })

  it('does not keep the exit code that the kubelet makes up for a container that it lost', () => {
    const ending = end(aPod({ runner: lostSight, status: failed }))
    expect(ending).toMatchObject({ exitCode: null, startedAt: null })
    expect(ending.missing.join()).toContain('did not find its container')
    const rebooted = aPod({ runner: terminated(255, { reason: 'Unknown' }), status: failed })
    expect(end(rebooted)).toMatchObject({ exitCode: null, signal: null })
    expect(end(rebooted).missing.join()).toMatch(/says 255, Unknown in its place.*when it ended/)
    expect(end(rebooted).pod?.containers.at(-1)).toMatchObject({ exitCode: null, reason: 'Unknown' })
    expect(end(aPod({ runner: terminated(255), status: failed })).exitCode).toBe(255)
  })

  it('is incomplete where its node is gone before its containers ended', () => {
    const status = disrupted('DeletionByPodGC')
    const booting = aPod({ poller: waiting(), runner: waiting(), status })
    expect(end(booting).missing.join()).toContain('node-1 is gone')
    const over = aPod({ check: terminated(0), poller: terminated(0), runner: terminated(0), status })
    expect(end(over).missing).toEqual([])
  })

  it('dates the end of a container that the kubelet lost sight of by that of the pod, not of the poller', () => {
    const poller = terminated(0, { finishedAt: at(7_000) })
    const endedAt = (unreadyFor: number, over: object = {}) => {
      const conditions = [
        { type: 'Initialized', status: 'True', lastTransitionTime: at(6_990) },
        { type: 'Ready', status: 'False', lastTransitionTime: at(unreadyFor) },
      ]
      return end(aPod({ poller, runner: lostSight, status: { ...failed, conditions }, ...over })).endedAt
    }
    expect(endedAt(3)).toBe(now - 3_000)
    expect(endedAt(7_100)).toBe(now - 7_000_000) // never ready: its runner had not run
    expect(endedAt(3, { runner: terminated(1) })).toBe(now - 10_000)
  })

  it('does not take the end of the poller for that of a runner whose last status was running', () => {
    const poller = terminated(0, { finishedAt: at(7_000) })
    const lost = { poller, runner: running(7_000), status: disrupted('DeletionByPodGC'), metadata: leaving }
    expect(end(aPod(lost)).endedAt).toBeGreaterThan(now - 600_000)
    expect(end(aPod({ poller, runner: running(7_000) }), { silentSince: now - 5_000 }).endedAt).toBe(
      now - 5_000,
    )
  })

  it('takes the earlier end of a container that was begun again', () => {
    const runner = { ...waiting('CrashLoopBackOff'), lastState: terminated(5).state ?? {} }
    expect(end(aPod({ runner, status: failed }))).toMatchObject({ exitCode: 5, endedAt: now - 10_000 })
  })

  it('does not blame an earlier start problem for the end of a runner that got going', () => {
    const pod = aPod({ runner: terminated(1), status: failed })
    expect(end(pod, { startProblem: noImage }).pod?.trouble).toBeNull()
  })
})
