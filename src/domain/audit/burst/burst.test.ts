import { describe, expect, it } from 'vitest'
import type {
  ForgeJobFact,
  LogFact,
  PodFact,
  QuotaFact,
  RunnerFact,
  ScaleSetFact,
} from '../../snapshot/index.ts'
import {
  forgeJobFact,
  listed,
  minuteMs,
  nodeFact,
  objectFact,
  podFact,
  readAt,
  runnerFact,
  type SnapshotGiven,
  scaleSetFact,
  snapshotOf,
  unread,
  waitingState,
} from '../../snapshot/testing/facts.ts'
import { contractOf, declaredLane, found, judged } from '../testing/judge.ts'
import { burst } from './index.ts'

const namespace = 'arc-runners'

function audit(given: SnapshotGiven) {
  return judged(burst, snapshotOf(given))
}

function working(name: string, set = 'linux', repository = 'acme/web'): RunnerFact {
  const job = { requestId: '1', id: null, name: 'test', repository, runId: 31 }
  const workflowRef = `${repository}/.github/workflows/ci.yml@refs/heads/main`
  return runnerFact(name, { scaleSet: { namespace, name: set }, job: { ...job, workflowRef } })
}

function refused(name: string, message: string, given: Partial<PodFact> = {}): PodFact {
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, at: readAt }
  return podFact(name, { node: null, phase: 'Pending', statuses: [], conditions: [condition], ...given })
}

describe('queued-behind-active-runner-capacity', () => {
  const full: SnapshotGiven['cluster'] = {
    scaleSets: listed([scaleSetFact('linux', { maxRunners: 2 })]),
    runners: listed([working('r1'), working('r2', 'linux', 'acme/api')]),
  }

  it('names the holders of a label whose runners all work while a job waits', () => {
    const { findings } = audit({ cluster: full, forge: { jobs: listed([forgeJobFact(1)]) } })
    expect(findings).toHaveLength(1)
    expect(findings[0]).toMatchObject({
      class: 'queued-behind-active-runner-capacity',
      subject: { kind: 'label', name: 'linux' },
      confidence: 'proven',
      summary: 'linux has a queue of 1 job behind 2 of 2 runners that work.',
    })
    expect(findings[0]?.evidence.at(-1)?.text).toBe('held by acme/web (ci.yml) 1, acme/api (ci.yml) 1')
    expect(findings[0]?.mustNotConclude.join()).toContain('Never raise maxRunners')
    expect(findings[0]?.nextAllowedAction.kind).toBe('read')
  })

  it('counts a runner as working where only the forge says so', () => {
    const silent = { ...full, runners: listed([working('r1'), runnerFact('r2')]) }
    const taken = forgeJobFact(2, { status: 'in_progress', runnerName: 'r2' })
    const forge = { jobs: listed([forgeJobFact(1), taken]) }
    expect(found(audit({ cluster: silent, forge }))).toEqual(['queued-behind-active-runner-capacity linux'])
  })

  it.each<[string, ForgeJobFact[], RunnerFact[]]>([
    ['a runner is idle', [forgeJobFact(1)], [working('r1'), runnerFact('r2')]],
    ['nothing waits', [forgeJobFact(1, { status: 'in_progress' })], [working('r1'), working('r2')]],
    [
      'the job came just now',
      [forgeJobFact(1, { queuedAt: readAt - 30_000 })],
      [working('r1'), working('r2')],
    ],
    ['the job wants another label', [forgeJobFact(1, { labels: ['gpu'] })], [working('r1'), working('r2')]],
  ])('is not there where %s', (_, jobs, runners) => {
    const cluster = { ...full, runners: listed(runners) }
    expect(audit({ cluster, forge: { jobs: listed(jobs) } }).findings).toEqual([])
  })

  it('is not there where a second set of the label has room, unless it serves another owner', () => {
    const overlay = (configUrl: string): ScaleSetFact[] => [
      scaleSetFact('linux', { maxRunners: 2 }),
      scaleSetFact('linux-overflow', { runnerLabels: ['Linux'], maxRunners: 5, configUrl }),
    ]
    const auditWith = (configUrl: string) =>
      audit({
        cluster: { ...full, scaleSets: listed(overlay(configUrl)) },
        forge: { jobs: listed([forgeJobFact(1)]) },
      })
    expect(auditWith('https://github.com/acme').findings).toEqual([])
    expect(auditWith('https://github.com/enterprises/big').findings).toEqual([])
    expect(found(auditWith('https://github.com/other'))).toEqual([
      'queued-behind-active-runner-capacity linux',
    ])
  })

  it('is left open where sets or jobs could not be read', () => {
    const sets = unread('autoscalingrunnersets', full?.scaleSets?.items)
    const forge = { jobs: listed([forgeJobFact(1)]) }
    const { findings, unjudged } = audit({ cluster: { ...full, scaleSets: sets }, forge })
    expect(findings).toEqual([])
    expect(unjudged).toContainEqual({
      class: 'queued-behind-active-runner-capacity',
      why: 'autoscalingrunnersets: forbidden',
      needs: 'list autoscalingrunnersets',
    })
    expect(audit({ cluster: full, forge: { jobs: unread('jobs') } }).unjudged[0]?.needs).toBe('list jobs')
  })
})

describe('scheduler-resource-pressure', () => {
  const sets = listed([scaleSetFact()])
  const runners = listed([runnerFact('r1', { phase: null }), runnerFact('r2', { phase: null })])
  const message = '0/2 nodes are available: 2 Insufficient ephemeral-storage.'

  it('is one finding for the label, with counts and a message', () => {
    const pods = listed([refused('r1', message), refused('r2', '0/2 nodes are available: 2 Too many pods.')])
    const { findings } = audit({ cluster: { scaleSets: sets, runners, pods } })
    expect(findings).toMatchObject([{ class: 'scheduler-resource-pressure', subject: { name: 'linux' } }])
    expect(findings[0]?.evidence.map(({ text }) => text)).toEqual([
      'insufficient-ephemeral-storage 1, too-many-pods 1',
      `r1: ${message}`,
    ])
    expect(findings[0]?.mustNotConclude.join()).toContain('are not capacity')
  })

  it('is not there for a selector that nothing matches, an image that cannot be pulled, or a pod of no runner', () => {
    const pull = { name: 'runner', isReady: false, restarts: 0, imageId: null, lastState: null }
    const pods = listed([
      refused('r1', "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."),
      refused('r2', message, { statuses: [{ ...pull, state: waitingState('ErrImagePull') }] }),
      refused('web', message),
    ])
    expect(audit({ cluster: { scaleSets: sets, runners, pods } }).findings).toEqual([])
  })
})

describe('pod-slot-pressure', () => {
  const node = nodeFact('node-1', { allocatable: { pods: 10 } })
  const runners = [working('job1'), working('job2'), runnerFact('idle')]
  const ofArc = {
    'actions.github.com/scale-set-name': 'linux',
    'actions.github.com/scale-set-namespace': namespace,
    'app.kubernetes.io/component': 'runner',
  }
  const pods = [
    ...['job1', 'job2', 'idle'].map((name) => podFact(name)),
    podFact('orphan', { labels: ofArc }),
    podFact('stuck', { labels: ofArc, deletedAt: readAt - 30 * minuteMs }),
    podFact('done', { labels: ofArc, phase: 'Succeeded' }),
    ...['a', 'b', 'c', 'd'].map((name) => podFact(name, { namespace: 'kube-system' })),
  ]
  const cluster = {
    nodes: listed([node]),
    runners: listed(runners),
    scaleSets: listed([scaleSetFact()]),
    pods: listed(pods),
  }

  it('splits the slots of a node into live jobs, residue and completed pods', () => {
    const { findings } = audit({ cluster })
    expect(findings).toMatchObject([
      { class: 'pod-slot-pressure', severity: 'notice', summary: '9 of 10 pod slots of node-1 are taken.' },
    ])
    expect(findings[0]?.evidence.map(({ text }) => text)).toEqual([
      'allocatable pods: 10',
      'live jobs: 2 (acme/web (ci.yml) 2)',
      'stale residue: 2; idle or starting runners: 1; other pods: 4',
      "completed runner pods, which hold no slot by the scheduler's count: 1",
    ])
  })

  it('calls a pod without a runner residue only where all runners are known', () => {
    const { findings } = audit({ cluster: { ...cluster, runners: unread('runners', runners) } })
    expect(findings[0]?.evidence[2]?.text).toBe(
      'stale residue: 1; idle or starting runners: 2; other pods: 4',
    )
  })

  it('is not there with slots to spare, nor on a node without runners', () => {
    expect(audit({ cluster: { ...cluster, pods: listed(pods.slice(1)) } }).findings).toEqual([])
    const strangers = [...Array(10).keys()].map((index) => podFact(`p${index}`, { namespace: 'web' }))
    expect(audit({ cluster: { ...cluster, pods: listed(strangers) } }).findings).toEqual([])
  })
})

describe('quota-exceeded', () => {
  const quota = (used: number, given: Partial<QuotaFact> = {}): QuotaFact => ({
    ...objectFact('runners'),
    isScoped: false,
    hard: { pods: 20, services: 0 },
    used: { pods: used, services: 0 },
    ...given,
  })
  const sets = listed([scaleSetFact()])
  const podless = runnerFact('linux-runner-x', { phase: null, isReady: false })
  const line =
    '2026-06-01T02:59:50Z\tERROR\tEphemeralRunner\tResource quota is exceeded; requeue in 30s to retry pod creation\t{"version": "0.14.2", "ephemeralrunner": {"name":"linux-runner-x","namespace":"arc-runners"}, "error": "pods \\"linux-runner-x\\" is forbidden: exceeded quota: runners, requested: limits.memory=64Gi,pods=1, used: limits.memory=40Gi,pods=2, limited: limits.memory=100Gi,pods=20"}'
  const log = (lines: string[]): LogFact => ({
    pod: { namespace: 'arc-systems', name: 'controller' },
    container: 'manager',
    role: 'controller',
    lines,
    isCut: false,
  })

  it('warns of a quota that is nearly used up, and of one that is', () => {
    expect(audit({ cluster: { scaleSets: sets, quotas: listed([quota(18)]) } }).findings).toMatchObject([
      {
        class: 'quota-exceeded',
        severity: 'notice',
        summary: 'The quota runners of arc-runners is nearly used up.',
      },
    ])
    const { findings } = audit({ cluster: { scaleSets: sets, quotas: listed([quota(20)]) } })
    expect(findings[0]?.summary).toBe('The quota runners of arc-runners is used up.')
    expect(findings[0]?.evidence[0]?.text).toBe('pods: 20 of 20 (100 %)')
  })

  it('is proven where the log names a runner that still has no pod, however little is used', () => {
    const memory = quota(2, {
      hard: { 'limits.memory': 100 * 2 ** 30, pods: 20 },
      used: { 'limits.memory': 40 * 2 ** 30, pods: 2 },
    })
    const cluster = {
      scaleSets: sets,
      quotas: listed([memory]),
      runners: listed([podless]),
      logs: listed([log([line])]),
    }
    expect(audit({ cluster }).findings).toMatchObject([
      { class: 'quota-exceeded', subject: { kind: 'scale-set', name: 'linux' }, confidence: 'proven' },
    ])
    expect(audit({ cluster }).findings[0]?.evidence.at(-1)?.text).toContain('exceeded quota: runners')
    const started = { ...cluster, pods: listed([podFact('linux-runner-x')]) }
    expect(audit({ cluster: started }).findings).toEqual([])
    const lifted = { ...cluster, quotas: listed([{ ...memory, hard: { 'limits.memory': 200 * 2 ** 30 } }]) }
    expect(audit({ cluster: lifted }).findings).toEqual([])
  })

  it('is seen in the message of a runner that an old controller gave up', () => {
    const message =
      'Failed to create the pod: pods "linux-runner-x" is forbidden: exceeded quota: runners, requested: pods=1, used: pods=20, limited: pods=20'
    const failed = { ...podless, phase: 'Failed', reason: 'InvalidPod', message }
    const cluster = { scaleSets: sets, quotas: listed([quota(20)]), runners: listed([failed]) }
    expect(found(audit({ cluster }))).toEqual(['quota-exceeded linux', 'quota-exceeded runners'])
  })

  it('is not there for a resource that is forbidden on purpose, half a quota, or a namespace without runners', () => {
    expect(audit({ cluster: { scaleSets: sets, quotas: listed([quota(10)]) } }).findings).toEqual([])
    expect(audit({ cluster: { quotas: listed([quota(20)]) } }).findings).toEqual([])
  })

  it('is left open where quotas could not be read, whatever a log says', () => {
    const cluster = {
      scaleSets: sets,
      quotas: unread<QuotaFact>('resourcequotas'),
      runners: listed([podless]),
      logs: listed([log([line])]),
    }
    const { findings, unjudged } = audit({ cluster })
    expect(findings).toEqual([])
    expect(unjudged).toMatchObject([{ class: 'quota-exceeded', needs: 'list resourcequotas' }])
  })
})

describe('scratch-storage-regression', () => {
  const volumes = [
    { mountPath: '/work', storageClass: 'fast' },
    { mountPath: '/var/lib/docker', storageClass: 'fast' },
  ]
  const contract = contractOf({ lanes: [declaredLane('linux', { volumes })] })
  const volume = (mountPath: string, storageClass: string | null) => ({
    name: mountPath,
    kind: 'ephemeral-claim' as const,
    claim: `r1-${mountPath}`,
    storageClass,
    sizeBytes: null,
    mountPaths: [mountPath],
  })
  const auditPod = (pod: PodFact, declared: typeof contract | null = contract) =>
    judged(
      burst,
      snapshotOf({
        cluster: {
          scaleSets: listed([scaleSetFact()]),
          runners: listed([runnerFact('r1')]),
          pods: listed([pod]),
        },
      }),
      { contract: declared },
    )

  it('names the volumes that a running pod lacks, and where they are declared', () => {
    const pod = podFact('r1', { volumes: [volume('/work', 'slow')] })
    const { findings } = auditPod(pod)
    expect(findings).toMatchObject([{ class: 'scratch-storage-regression', subject: { name: 'linux' } }])
    expect(findings[0]?.evidence.map(({ text }) => text)).toEqual([
      'missing: /work of class fast, /var/lib/docker of class fast; in r1',
      'declared at lanes.tfvars:7: /work of class fast, /var/lib/docker of class fast',
    ])
  })

  it('is not there with both volumes, for a pod that has ended, or without a contract', () => {
    const both = [volume('/work', 'fast'), volume('/var/lib/docker', 'fast')]
    expect(auditPod(podFact('r1', { volumes: both })).findings).toEqual([])
    expect(auditPod(podFact('r1', { phase: 'Succeeded' })).findings).toEqual([])
    expect(auditPod(podFact('r1'), null)).toMatchObject({ findings: [], unjudged: [] })
  })

  it('is left open where the class of a claim is not known', () => {
    const unnamed = [volume('/work', null), volume('/var/lib/docker', 'fast')]
    const { findings, unjudged } = auditPod(podFact('r1', { volumes: unnamed }))
    expect(findings).toEqual([])
    expect(unjudged).toMatchObject([{ needs: 'list persistentvolumeclaims' }])
  })
})
