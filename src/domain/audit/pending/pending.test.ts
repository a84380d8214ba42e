import { describe, expect, it } from 'vitest'
import type { EventFact, PodFact } from '../../snapshot/index.ts'
import {
  containerFact,
  forgeJobFact,
  listed,
  minuteMs,
  objectFact,
  podFact,
  readAt,
  runnerFact,
  runningState,
  scaleSetFact,
  snapshotOf,
  terminatedState,
  unread,
  waitingState,
} from '../../snapshot/testing/facts.ts'
import { wholeScope } from '../scope.ts'
import { found, judged } from '../testing/judge.ts'
import { pending } from './index.ts'

/** A pod without a node; by a refusal of the scheduler where a message is given. */
function unplaced(name: string, message: string | null, given: Partial<PodFact> = {}): PodFact {
  const refusal = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, at: readAt }
  return podFact(name, {
    ...{ node: null, phase: 'Pending', startedAt: null, statuses: [] },
    conditions: message === null ? [] : [refusal],
    ...given,
  })
}

/** A pod with a node whose containers have not begun. */
function placed(name: string, given: Partial<PodFact> = {}): PodFact {
  const state = waitingState('ContainerCreating')
  const statuses = [{ name: 'runner', isReady: false, restarts: 0, imageId: null, state, lastState: null }]
  return podFact(name, { phase: 'Pending', startedAt: readAt - 5 * minuteMs, statuses, ...given })
}

function pulling(name: string, reason: string, message: string): PodFact {
  const status = { name: 'runner', isReady: false, restarts: 0, imageId: null, lastState: null }
  return placed(name, { statuses: [{ ...status, state: waitingState(reason, message) }] })
}

function eventAbout(pod: string, reason: string, lastAt: number, message = reason): EventFact {
  const subject = { kind: 'Pod', name: pod, uid: null }
  return {
    namespace: 'arc-runners',
    type: 'Warning',
    reason,
    message,
    subject,
    count: 3,
    firstAt: lastAt,
    lastAt,
  }
}

function audit(pods: readonly PodFact[], events: readonly EventFact[] = []) {
  return judged(pending, snapshotOf({ cluster: { pods: listed(pods), events: listed(events) } }))
}

describe('image-pull-blocked', () => {
  const denied = 'failed to pull ghcr.io/acme/runner-nix:latest: 401 Unauthorized'

  it('is one finding for three pods, with the message of the oldest', () => {
    const pods = ['a', 'b', 'c'].map((name) => pulling(name, 'ImagePullBackOff', denied))
    const oldest = { ...(pods[1] as PodFact), createdAt: readAt - 500 * minuteMs }
    const { findings } = audit([pods[0] as PodFact, oldest, pods[2] as PodFact])
    expect(findings).toHaveLength(1)
    expect(findings[0]).toMatchObject({
      class: 'image-pull-blocked',
      confidence: 'proven',
      severity: 'critical',
    })
    expect(findings[0]?.summary).toBe('3 pods in arc-runners: pods wait for an image that cannot be pulled.')
    expect(findings[0]?.evidence[0]?.text).toBe(`b: runner: ImagePullBackOff: ${denied}`)
  })

  it('goes before what the scheduler said of other pods, and is not capacity', () => {
    const judgement = audit([
      pulling('a', 'ErrImagePull', denied),
      unplaced('b', '0/1 nodes are available: 1 Insufficient cpu.'),
    ])
    expect(found(judgement)).toEqual(['image-pull-blocked arc-runners', 'insufficient-cpu arc-runners'])
    expect(judgement.findings[0]?.mustNotConclude.join()).toContain('Pending is not capacity')
  })

  it('is not a pull that is going on', () => {
    const events = [eventAbout('a', 'Pulling', readAt - 4 * minuteMs)]
    expect(audit([placed('a')], events).findings).toEqual([])
  })
})

describe('a pod that the scheduler refuses', () => {
  it.each([
    ['0/2 nodes are available: 2 Insufficient memory.', 'insufficient-memory'],
    ['0/2 nodes are available: 2 Too many pods.', 'too-many-pods'],
    ['0/2 nodes are available: 2 node(s) had untolerated taint {dedicated: ci}.', 'untolerated-taint'],
    ['0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.', 'unbound-claim'],
    ['0/2 nodes are available: 2 Insufficient nvidia.com/gpu.', 'insufficient-extended-resource'],
    ['0/2 nodes are available: something new.', 'unschedulable'],
  ])('%s', (message, name) => {
    expect(found(audit([unplaced('a', message)]))).toEqual([`${name} arc-runners`])
  })

  it('is counted once for each cause and namespace', () => {
    const message = '0/2 nodes are available: 2 Insufficient cpu.'
    const pods = [...Array(40).keys()].map((index) =>
      unplaced(`p${index}`, message, index % 4 === 0 ? { namespace: 'gitlab' } : {}),
    )
    const { findings, tables } = audit(pods)
    expect(findings.map(({ summary }) => summary.split(':')[0])).toEqual([
      '10 pods in gitlab',
      '30 pods in arc-runners',
    ])
    expect(tables[0]?.rows.map(([cause, , count]) => `${cause} ${count}`)).toEqual([
      'insufficient-cpu 10',
      'insufficient-cpu 30',
    ])
  })

  it('waits for a gate where one is set: nobody has looked for room', () => {
    const gate = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'SchedulingGated',
      message: 'gated',
      at: readAt,
    }
    expect(found(audit([unplaced('a', null, { conditions: [gate] })]))).toEqual([
      'scheduling-gated arc-runners',
    ])
  })

  it('is no finding once it runs, has ended or is being deleted', () => {
    const message = '0/2 nodes are available: 2 Insufficient cpu.'
    const gone = unplaced('a', message, { deletedAt: readAt })
    const runs = podFact('b')
    const ended = podFact('c', { phase: 'Succeeded' })
    expect(audit([gone, runs, ended]).findings).toEqual([])
  })
})

describe('priority-pressure', () => {
  const message = '0/1 nodes are available: 1 Insufficient cpu.'
  const asking = (cpu: number) => ({ containers: [containerFact({ requests: { cpu } })] })

  it('is likely where pods of a higher priority hold as much as a pod without room asks for', () => {
    const holder = podFact('web', { priority: 1000, ...asking(2) })
    const { findings } = audit([holder, unplaced('a', message, { priority: 0, ...asking(2) })])
    const pressure = findings.find((finding) => finding.class === 'priority-pressure')
    expect(pressure).toMatchObject({ confidence: 'likely' })
    expect(pressure?.evidence[0]?.text).toBe(
      'a: its priority is 0; pods of a higher one hold as much as it asks for on one node',
    )
  })

  it('is not there where their going would not make room: they hold less, or that much only on two nodes', () => {
    const waiting = unplaced('a', message, asking(4))
    const above = { priority: 1000, ...asking(2) }
    const apart = [podFact('web', above), podFact('db', { ...above, node: 'node-2' })]
    expect(found(audit([...apart, waiting]))).toEqual(['insufficient-cpu arc-runners'])
    const together = apart.map((pod) => ({ ...pod, node: 'node-1' }))
    expect(found(audit([...together, waiting]))).toContain('priority-pressure arc-runners')
  })

  it('is proven by the condition of a pod that made room, and by an event about one that is gone', () => {
    const mark = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: null,
      at: null,
    }
    const preempted = podFact('a', { conditions: [mark] })
    expect(audit([preempted]).findings).toMatchObject([{ class: 'priority-pressure', confidence: 'proven' }])
    const event = eventAbout('b', 'Preempted', readAt - minuteMs, 'Preempted by pod 4711 on node node-1')
    expect(found(audit([], [event]))).toEqual(['priority-pressure arc-runners'])
  })

  it('is not there for pods of the system, which are above everybody, nor for a taint, nor long ago', () => {
    const system = podFact('kube-proxy', { priority: 2_000_001_000, ...asking(2) })
    expect(found(audit([system, unplaced('a', message, asking(2))]))).toEqual([
      'insufficient-cpu arc-runners',
    ])
    const tainted = unplaced('a', '0/1 nodes are available: 1 node(s) had untolerated taint {a: }.')
    expect(found(audit([podFact('web', { priority: 5 }), tainted]))).toEqual([
      'untolerated-taint arc-runners',
    ])
    expect(audit([], [eventAbout('b', 'Preempted', readAt - 61 * minuteMs)]).findings).toEqual([])
  })
})

describe('a pod that is placed and does not start', () => {
  it('waits for a volume, by the newest event', () => {
    const events = [eventAbout('a', 'FailedMount', readAt - minuteMs, 'timed out waiting for the condition')]
    expect(found(audit([placed('a')], events))).toEqual(['volume-waiting arc-runners'])
  })

  it('does not wait for a volume that came: the pull after it is newer', () => {
    const events = [
      eventAbout('a', 'Pulling', readAt - 2 * minuteMs),
      eventAbout('a', 'FailedMount', readAt - 3 * minuteMs),
    ]
    expect(audit([placed('a')], events).findings).toEqual([])
  })

  it('has got on where both events are of the same second: a pull begins only after the volume', () => {
    const at = readAt - 2 * minuteMs
    const both = [eventAbout('a', 'Pulling', at), eventAbout('a', 'FailedMount', at)]
    expect(audit([placed('a')], both).findings).toEqual([])
    expect(audit([placed('a')], both.toReversed()).findings).toEqual([])
  })

  it('has no sandbox', () => {
    const events = [eventAbout('a', 'FailedCreatePodSandBox', readAt - minuteMs, 'no IP addresses available')]
    expect(found(audit([placed('a')], events))).toEqual(['sandbox-waiting arc-runners'])
  })

  it('is given a minute before anything is said about it', () => {
    const events = [eventAbout('a', 'FailedCreatePodSandBox', readAt)]
    expect(audit([placed('a', { startedAt: readAt - minuteMs / 2 })], events).findings).toEqual([])
  })

  it('names a container that cannot be made', () => {
    expect(found(audit([pulling('a', 'CreateContainerConfigError', 'secret "jit" not found')]))).toEqual([
      'config-error arc-runners',
    ])
  })

  it('waits for an init container that fails, and not for one that works', () => {
    const containers = [containerFact({ name: 'copy', isInit: true }), containerFact()]
    const init = { name: 'copy', isReady: false, restarts: 4, imageId: null, lastState: null }
    const failing = placed('a', { containers, statuses: [{ ...init, state: terminatedState(1, 'Error') }] })
    const working = placed('b', {
      containers,
      statuses: [{ ...init, state: { ...runningState, startedAt: readAt - 2 * minuteMs } }],
    })
    const { findings } = audit([failing, working])
    expect(findings).toHaveLength(1)
    expect(findings[0]?.evidence[0]?.text).toContain('init container copy ended with exit code 1')
  })

  it('is unexplained where scheduler and node say nothing, and that is likely at most', () => {
    expect(audit([placed('a'), unplaced('b', null)]).findings).toMatchObject([
      { class: 'start-unexplained', confidence: 'likely' },
    ])
  })

  it('is left open where its events could not be read', () => {
    const cluster = { pods: listed([placed('a')]), events: unread<EventFact>('events') }
    const { findings, unjudged } = judged(pending, snapshotOf({ cluster }))
    expect(findings).toEqual([])
    expect(unjudged.map((each) => each.class)).toEqual([
      'volume-waiting',
      'sandbox-waiting',
      'start-unexplained',
    ])
    expect(unjudged[0]?.needs).toBe('list events')
  })
})

describe('hpa-at-max', () => {
  const limited = {
    type: 'ScalingLimited',
    status: 'True',
    reason: 'TooManyReplicas',
    message: 'the desired replica count is more than the maximum',
    at: null,
  }
  const autoscaler = {
    ...objectFact('runner-hpa', 'gitlab'),
    ...{ target: { kind: 'Deployment', name: 'gitlab-runner' }, min: 1, max: 5, current: 5, desired: 5 },
    conditions: [limited],
  }
  const audited = (given: Partial<typeof autoscaler>, jobs: Parameters<typeof forgeJobFact>[1][] = []) =>
    judged(
      pending,
      snapshotOf({
        cluster: { autoscalers: listed([{ ...autoscaler, ...given }]) },
        forge: { jobs: listed(jobs.map((job, index) => forgeJobFact(index, job))) },
      }),
    )

  it('is proven by the autoscaler that says it wants more', () => {
    expect(audited({}).findings).toMatchObject([{ class: 'hpa-at-max', confidence: 'proven' }])
  })

  it('is likely where jobs wait that no scale set serves', () => {
    expect(audited({ conditions: [] }, [{ labels: ['gitlab'] }]).findings).toMatchObject([
      { confidence: 'likely' },
    ])
  })

  it('is not there at the maximum with nothing queued, nor below it', () => {
    expect(audited({ conditions: [] }).findings).toEqual([])
    expect(audited({ current: 4 }).findings).toEqual([])
  })
})

describe('a narrowed audit', () => {
  it('counts pods of the label alone', () => {
    const message = '0/2 nodes are available: 2 Insufficient cpu.'
    const pods = listed([unplaced('a', message), unplaced('b', message)])
    const runners = [
      runnerFact('a'),
      runnerFact('b', { scaleSet: { namespace: 'arc-runners', name: 'gpu' } }),
    ]
    const cluster = {
      pods,
      runners: listed(runners),
      scaleSets: listed([scaleSetFact(), scaleSetFact('gpu')]),
    }
    const narrowed = { ...wholeScope, labels: ['gpu'] }
    const { findings } = judged(pending, snapshotOf({ cluster }), { narrowed })
    expect(findings.map(({ evidence }) => evidence[1]?.text)).toEqual(['pods: b'])
  })
})

describe('pods that could not be listed', () => {
  it('leave every class open, with the right that is missing', () => {
    const { findings, unjudged } = judged(pending, snapshotOf({ cluster: { pods: unread<PodFact>('pods') } }))
    expect(findings).toEqual([])
    expect(unjudged.map((each) => each.class)).toContain('image-pull-blocked')
    expect(unjudged.every(({ needs }) => needs === 'list pods')).toBe(true)
  })
})
