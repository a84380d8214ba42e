import { describe, expect, it } from 'vitest'
import type { Amounts, LimitRangeFact, PodFact } from '../../snapshot/index.ts'
import {
  containerFact,
  listed,
  minuteMs,
  nodeFact,
  objectFact,
  podFact,
  readAt,
  runnerFact,
  runnerSetFact,
  runningState,
  scaleSetFact,
  snapshotOf,
  templateFact,
  terminatedState,
  unread,
} from '../../snapshot/testing/facts.ts'
import { contractOf, declaredLane, found, judged } from '../testing/judge.ts'
import { oom } from './index.ts'

const gi = 2 ** 30
const limitsOf = (memoryGi: number): Amounts => ({ memory: memoryGi * gi })

function pod(name: string, limits: Amounts, given: Partial<PodFact> = {}): PodFact {
  return podFact(name, { containers: [containerFact({ limits })], ...given })
}

function killed(
  name: string,
  memoryGi: number,
  reason = 'OOMKilled',
  finishedAt = readAt - minuteMs,
): PodFact {
  const state = terminatedState(137, reason, { finishedAt })
  const status = { name: 'runner', isReady: false, restarts: 0, imageId: null, state, lastState: null }
  return pod(name, limitsOf(memoryGi), { phase: 'Failed', statuses: [status] })
}

const withTemplate = (limits: Amounts) =>
  scaleSetFact('linux', { template: templateFact({ containers: [containerFact({ limits })] }) })

function audit(pods: readonly PodFact[], limits: Amounts, given: Parameters<typeof judged>[2] = {}) {
  const runners = pods.map(({ name }) => runnerFact(name))
  const cluster = {
    pods: listed(pods),
    runners: listed(runners),
    runnerSets: listed([runnerSetFact()]),
    scaleSets: listed([withTemplate(limits)]),
    nodes: listed([nodeFact()]),
  }
  return judged(oom, snapshotOf({ cluster }), given)
}

describe('container-oom and lane-cgroup-oom', () => {
  it('are a fact of the namespace and a limit of the lane, with the lane to move to', () => {
    const containers = [{ name: 'runner', image: null, requests: {}, limits: limitsOf(8) }]
    const contract = contractOf({ lanes: [declaredLane('linux', { containers, afterOom: 'linux-heavy' })] })
    const { findings } = audit([killed('r1', 8), killed('r2', 8)], limitsOf(8), { contract })
    expect(findings).toMatchObject([
      {
        class: 'container-oom',
        subject: { kind: 'namespace', name: 'arc-runners' },
        summary: 'arc-runners had 2 containers killed for memory.',
      },
      {
        class: 'lane-cgroup-oom',
        subject: { kind: 'scale-set', name: 'linux' },
        summary: "linux had 2 containers killed at the lane's own limit of 8 GiB.",
      },
    ])
    expect(findings[0]?.evidence[0]?.text).toBe('r1: runner was OOMKilled with a limit of 8 GiB')
    expect(findings[1]?.evidence.at(-1)?.text).toBe('declared at lanes.tfvars:7')
    expect(findings[1]?.nextAllowedAction).toEqual({
      kind: 'person',
      text: 'Move work that recurs to the lane linux-heavy, or change the envelope in lanes.tfvars:7.',
      command: null,
    })
    expect(findings[1]?.mustNotConclude.join()).toContain('cluster says nothing about one pod')
  })

  it('see a container that was killed and runs again', () => {
    const lastState = terminatedState(137, 'OOMKilled')
    const status = {
      name: 'runner',
      isReady: true,
      restarts: 1,
      imageId: null,
      state: runningState,
      lastState,
    }
    expect(found(audit([pod('r1', limitsOf(8), { statuses: [status] })], limitsOf(8)))).toEqual([
      'container-oom arc-runners',
      'lane-cgroup-oom linux',
    ])
  })

  it('do not blame the lane for another limit than its own', () => {
    expect(found(audit([killed('r1', 1)], limitsOf(8)))).toEqual(['container-oom arc-runners'])
  })

  it('are not there for exit code 137 alone, nor for a kill of last week', () => {
    expect(audit([killed('r1', 8, 'Error')], limitsOf(8)).findings).toEqual([])
    expect(audit([killed('r1', 8, 'OOMKilled', readAt - 25 * 60 * minuteMs)], limitsOf(8)).findings).toEqual(
      [],
    )
  })

  it('name the repository whose job it was', () => {
    const job = {
      requestId: '1',
      id: null,
      name: 'test',
      repository: 'acme/web',
      workflowRef: null,
      runId: 31,
    }
    const cluster = { pods: listed([killed('r1', 8)]), runners: listed([runnerFact('r1', { job })]) }
    const { findings } = judged(oom, snapshotOf({ cluster }))
    expect(findings[0]?.evidence.at(-1)?.text).toBe('jobs of acme/web')
  })
})

describe('effective-limit-drift', () => {
  const range: LimitRangeFact = {
    ...objectFact('defaults'),
    limits: [{ type: 'Container', max: {}, min: {}, defaultLimits: limitsOf(1), defaultRequests: {} }],
  }
  const containers = [{ name: 'runner', image: null, requests: {}, limits: limitsOf(8) }]
  const contract = contractOf({ lanes: [declaredLane('linux', { containers })] })

  it('is proven where a LimitRange filled in what the contract declares otherwise', () => {
    const { findings } = audit([pod('r1', limitsOf(1)), pod('r2', limitsOf(1))], {}, { contract })
    expect(findings).toMatchObject([
      {
        class: 'effective-limit-drift',
        severity: 'warning',
        confidence: 'proven',
        subject: { name: 'linux' },
      },
    ])
    expect(findings[0]?.evidence[0]?.text).toBe(
      'runner: memory limit 1Gi in 2 pods, 8Gi by the contract (lanes.tfvars:7)',
    )
  })

  it('is a notice where nobody declares it and a LimitRange filled it in', () => {
    const cluster = {
      pods: listed([pod('r1', limitsOf(1))]),
      runners: listed([runnerFact('r1')]),
      runnerSets: listed([runnerSetFact()]),
      scaleSets: listed([withTemplate({})]),
      limitRanges: listed([range]),
    }
    const { findings } = judged(oom, snapshotOf({ cluster }))
    expect(findings).toMatchObject([
      { class: 'effective-limit-drift', severity: 'notice', confidence: 'proven' },
    ])
    expect(findings[0]?.evidence[0]?.text).toContain('the LimitRange defaults filled it in')
  })

  it('is likely at most where pod and template differ: a rollover may have begun', () => {
    expect(audit([pod('r1', limitsOf(1))], limitsOf(8)).findings).toMatchObject([{ confidence: 'likely' }])
  })

  it('is not there where limits are as declared, in pods of an older generation or with another image', () => {
    expect(audit([pod('r1', limitsOf(8))], limitsOf(8), { contract }).findings).toEqual([])
    const older = runnerSetFact('linux', { name: 'linux-gen0', createdAt: readAt - 500 * minuteMs })
    const ofOlder = runnerFact('r1', { runnerSet: { name: 'linux-gen0', uid: 'gen0' } })
    const cluster = {
      pods: listed([pod('r1', limitsOf(4))]),
      runners: listed([ofOlder]),
      runnerSets: listed([runnerSetFact(), older]),
      scaleSets: listed([withTemplate(limitsOf(8))]),
    }
    expect(judged(oom, snapshotOf({ cluster })).findings).toEqual([])
    const otherImage = podFact('r1', {
      containers: [containerFact({ image: 'runner:old', limits: limitsOf(4) })],
    })
    expect(audit([otherImage], limitsOf(8)).findings).toEqual([])
  })

  it('says nothing of containers that something injected', () => {
    const injected = [
      containerFact({ limits: limitsOf(8) }),
      containerFact({ name: 'istio', limits: limitsOf(1) }),
    ]
    expect(audit([podFact('r1', { containers: injected })], limitsOf(8)).findings).toEqual([])
  })

  it('is left open where generations could not be read: an old one would look current', () => {
    const cluster = {
      pods: listed([pod('r1', limitsOf(1))]),
      runners: listed([runnerFact('r1')]),
      runnerSets: unread('runnersets', [runnerSetFact()]),
      scaleSets: listed([withTemplate(limitsOf(8))]),
    }
    const { findings, unjudged } = judged(oom, snapshotOf({ cluster }))
    expect(findings).toEqual([])
    expect(unjudged).toMatchObject([{ class: 'effective-limit-drift', needs: 'list runnersets' }])
  })
})

describe('node-pressure-eviction', () => {
  const evicted = (name: string, message: string) =>
    pod(name, {}, { phase: 'Failed', reason: 'Evicted', message, statuses: [] })

  it('is one finding for the node, with what it was short of', () => {
    const message = 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi.'
    const { findings } = audit([evicted('r1', message), evicted('r2', message)], {})
    expect(findings).toMatchObject([
      {
        class: 'node-pressure-eviction',
        subject: { kind: 'node', name: 'node-1' },
        summary: 'node-1 was short of memory and evicted 2 pods.',
      },
    ])
  })

  it('is not there for a pod past its own limit, nor for words that are not known', () => {
    const own = 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi.'
    expect(audit([evicted('r1', own), evicted('r2', 'because')], {}).findings).toEqual([])
  })
})

describe('pods that could not be listed', () => {
  it('leave every class open', () => {
    const { unjudged } = judged(oom, snapshotOf({ cluster: { pods: unread<PodFact>('pods') } }))
    expect(unjudged.map((each) => each.class)).toEqual(oom.classes.map(({ name }) => name))
  })
})
