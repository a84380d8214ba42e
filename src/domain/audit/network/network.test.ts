import { describe, expect, it } from 'vitest'
import type {
  ContainerStateFact,
  EventFact,
  ForgeJobFact,
  LogFact,
  NodeFact,
  PodFact,
} from '../../snapshot/index.ts'
import {
  forgeJobFact,
  forgeRunnerFact,
  listed,
  minuteMs,
  nodeFact,
  podFact,
  readAt,
  runnerFact,
  type SnapshotGiven,
  scaleSetFact,
  snapshotOf,
  terminatedState,
  unread,
} from '../../snapshot/testing/facts.ts'
import { wholeScope } from '../scope.ts'
import { found, judged } from '../testing/judge.ts'
import { network } from './index.ts'

const owner = { kind: 'EphemeralRunner', name: 'r', uid: 'r' }
const endedAt = readAt - 10 * minuteMs

function ended(name: string, state: ContainerStateFact, given: Partial<PodFact> = {}): PodFact {
  const status = { name: 'runner', isReady: false, restarts: 0, imageId: null, state, lastState: null }
  return podFact(name, { owner, phase: 'Failed', statuses: [status], ...given })
}

function killed(name: string, code: number, reason = 'Error', given: Partial<PodFact> = {}): PodFact {
  return ended(name, terminatedState(code, reason, { finishedAt: endedAt }), given)
}

const lostJob = (given: Partial<ForgeJobFact> = {}): ForgeJobFact =>
  forgeJobFact(7, { status: 'in_progress', runnerName: 'r1', startedAt: readAt - 60 * minuteMs, ...given })

const nodes = listed([nodeFact()])

function audit({ cluster = {}, forge = {} }: SnapshotGiven, runner: string | null = null) {
  const snapshot = snapshotOf({ cluster: { nodes, ...cluster }, forge })
  return judged(network, snapshot, { narrowed: { ...wholeScope, runner } })
}

describe('an eviction of a runner', () => {
  const low = 'The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 8Gi.'
  const evicted = (name: string, message = low) => killed(name, 137, 'Error', { reason: 'Evicted', message })

  it('is one proven finding for the node, with the words of the kubelet', () => {
    const { findings } = audit({ cluster: { pods: listed([evicted('r1'), evicted('r2')]) } })
    expect(findings).toMatchObject([
      {
        class: 'evicted-disk',
        confidence: 'proven',
        subject: { kind: 'node', name: 'node-1' },
        summary: 'node-1 lost 2 runners (evicted-disk).',
        nextAllowedAction: { kind: 'read', command: 'holdfast audit imagefs --node node-1' },
      },
    ])
    expect(findings[0]?.evidence[0]?.text).toBe(`r1: The kubelet evicted it: ${low}`)
    expect(findings[0]?.mustNotConclude.join()).toContain('often no failure of the build')
  })

  it('is about the runner itself where one was asked for', () => {
    const pods = listed([evicted('r1'), evicted('r2')])
    expect(audit({ cluster: { pods } }, 'r2').findings).toMatchObject([
      {
        class: 'evicted-disk',
        subject: { kind: 'runner', name: 'r2' },
        summary: 'r2 was lost (evicted-disk).',
      },
    ])
  })

  it('past its own limit is another class', () => {
    const own = 'Pod ephemeral local storage usage exceeds the total limit of containers 8Gi. '
    expect(found(audit({ cluster: { pods: listed([evicted('r1', own)]) } }))).toEqual([
      'evicted-ephemeral-storage node-1',
    ])
  })

  it('stays proven where nodes and events could not be read: the pod itself says it', () => {
    const cluster = {
      pods: listed([evicted('r1')]),
      nodes: unread<NodeFact>('nodes'),
      events: unread<EventFact>('events'),
    }
    const { findings, unjudged } = audit({ cluster })
    expect(findings).toMatchObject([{ class: 'evicted-disk', confidence: 'proven' }])
    expect(unjudged.map((each) => each.class)).toContain('node-lost')
  })

  it('of a pod that is no runner is of no concern here', () => {
    const pods = listed([{ ...evicted('web'), owner: null }])
    expect(audit({ cluster: { pods } }).findings).toEqual([])
  })
})

describe('node-lost', () => {
  const silent = nodeFact('node-1', {
    conditions: [
      {
        type: 'Ready',
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
        at: endedAt,
      },
    ],
  })

  it('holds for a runner on a node that stopped reporting, or is gone', () => {
    const running = podFact('r1', { owner })
    expect(audit({ cluster: { pods: listed([running]), nodes: listed([silent]) } }).findings).toMatchObject([
      { class: 'node-lost', confidence: 'likely' },
    ])
    expect(
      found(audit({ cluster: { pods: listed([running]), nodes: listed([nodeFact('other')]) } })),
    ).toEqual(['node-lost node-1'])
  })

  it('does not hold on a node that is ready, nor where nodes could not be read', () => {
    const pods = listed([podFact('r1', { owner })])
    expect(audit({ cluster: { pods } }).findings).toEqual([])
    const cluster = { pods, nodes: unread<NodeFact>('nodes') }
    expect(audit({ cluster }).findings).toEqual([])
    expect(audit({ cluster: { pods, nodes: listed<NodeFact>([]) } }).findings).toEqual([])
  })

  it('does not hold for a pod that came to a new node after nodes were read', () => {
    const pods = listed([podFact('r1', { owner, startedAt: readAt + 1 })])
    expect(audit({ cluster: { pods, nodes: listed([nodeFact('other')]) } }).findings).toEqual([])
  })
})

describe('a runner that was drained, preempted or deleted', () => {
  const marked = (reason: string) =>
    killed('r1', 143, 'Error', {
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message: 'said so', at: endedAt }],
    })

  it('is named by the mark of the cluster, with or without a job', () => {
    expect(found(audit({ cluster: { pods: listed([marked('EvictionByEvictionAPI')]) } }))).toEqual([
      'node-drained node-1',
    ])
    expect(found(audit({ cluster: { pods: listed([marked('PreemptionByScheduler')]) } }))).toEqual([
      'preempted node-1',
    ])
  })

  it('is not named where facts around it are missing and its pod alone proves nothing', () => {
    const pods = listed([marked('EvictionByEvictionAPI')])
    const { findings, unjudged } = audit({ cluster: { pods, events: unread<EventFact>('events') } })
    expect(findings).toEqual([])
    expect(unjudged.map((each) => each.class)).toContain('node-drained')
  })

  it('was deleted by somebody: a finding where its job is lost, and none for an idle one', () => {
    const pods = listed([killed('r1', 143, 'Error', { deletedAt: endedAt - minuteMs })])
    expect(found(audit({ cluster: { pods }, forge: { jobs: listed([lostJob()]) } }))).toEqual([
      'deleted node-1',
    ])
    expect(audit({ cluster: { pods } }).findings).toEqual([])
    const done = lostJob({ status: 'completed', conclusion: 'success', completedAt: endedAt })
    expect(audit({ cluster: { pods }, forge: { jobs: listed([done]) } }).findings).toEqual([])
  })
})

describe('a runner that the forge lost', () => {
  it('was killed, and nobody says by whom: 137 is no OOM kill', () => {
    const { findings } = audit({
      cluster: { pods: listed([killed('r1', 137)]) },
      forge: { jobs: listed([lostJob()]) },
    })
    expect(findings).toMatchObject([{ class: 'sigkill-unknown', confidence: 'likely' }])
    expect(findings[0]?.evidence.at(-1)?.text).toBe('jobs of acme/web')
  })

  it('ended in order and its report was lost, where the job is still open', () => {
    const pods = listed([killed('r1', 0, 'Completed', { phase: 'Succeeded' })])
    expect(found(audit({ cluster: { pods }, forge: { jobs: listed([lostJob()]) } }))).toEqual([
      'completion-handshake node-1',
    ])
  })

  it('had no network, by its last line or by its node', () => {
    const log: LogFact = {
      pod: { namespace: 'arc-runners', name: 'r1' },
      container: 'runner',
      role: 'runner',
      lines: ['Runner connect error: Connection refused (api.github.com:443). Retrying until reconnected.'],
      isCut: false,
    }
    const forge = { jobs: listed([lostJob()]) }
    const cluster = { pods: listed([killed('r1', 1)]), runnerLogs: listed([log]) }
    expect(found(audit({ cluster, forge }))).toEqual(['network-discontinuity node-1'])
    expect(audit({ cluster: { pods: cluster.pods }, forge }).findings).toEqual([])
  })

  it('is left open where jobs or logs could not be read', () => {
    const pods = listed([killed('r1', 137)])
    const { findings, unjudged } = audit({
      cluster: { pods, runnerLogs: unread<LogFact>('pods/log') },
      forge: { jobs: listed([lostJob()]) },
    })
    expect(findings).toEqual([])
    expect(unjudged.find((each) => each.class === 'sigkill-unknown')?.needs).toBe('list pods/log')
  })
})

describe('vanished', () => {
  const cluster = { scaleSets: listed([scaleSetFact()]) }

  it('is a job whose runner left nothing at all', () => {
    const { findings } = audit({ cluster, forge: { jobs: listed([lostJob()]) } })
    expect(findings).toMatchObject([
      { class: 'vanished', confidence: 'likely', subject: { kind: 'repository', name: 'acme/web' } },
    ])
  })

  it('is known by the annotation of the forge after it gave the job up', () => {
    const annotations = [
      {
        level: 'failure',
        title: null,
        message: 'The self-hosted runner lost communication with the server. Verify the machine is running.',
      },
    ]
    const job = lostJob({ status: 'completed', conclusion: 'failure', annotations })
    expect(found(audit({ cluster, forge: { jobs: listed([job]) } }))).toEqual(['vanished acme/web'])
  })

  it.each<[string, SnapshotGiven]>([
    ['its pod is there', { cluster: { ...cluster, pods: listed([podFact('r1', { owner })]) } }],
    ['its runner is there', { cluster: { ...cluster, runners: listed([runnerFact('r1')]) } }],
    ['it is online', { cluster, forge: { runners: listed([forgeRunnerFact('r1')]) } }],
    ['the job is of another fleet', {}],
    ['pods could not be listed', { cluster: { ...cluster, pods: unread<PodFact>('pods') } }],
    ['runners could not be listed', { cluster: { ...cluster, runners: unread<never>('runners') } }],
  ])('is not there where %s', (_, { cluster: given = {}, forge = {} }) => {
    expect(audit({ cluster: given, forge: { ...forge, jobs: listed([lostJob()]) } }).findings).toEqual([])
  })

  it('is not there for a job that has only just begun', () => {
    const young = lostJob({ startedAt: readAt - minuteMs })
    expect(audit({ cluster, forge: { jobs: listed([young]) } }).findings).toEqual([])
  })
})

describe('the table of ends', () => {
  it('shows every end that was not plainly in order, lost or not', () => {
    const pods = listed([
      killed('r1', 3),
      killed('r2', 0, 'Completed', { phase: 'Succeeded' }),
      podFact('r3', { owner }),
    ])
    const { findings, tables } = audit({ cluster: { pods } })
    expect(findings).toEqual([])
    expect(tables[0]?.rows.map(([runner, , end]) => [runner, end])).toEqual([['r1', 'failed']])
  })
})
