import { describe, expect, it } from 'vitest'
import { type Cursor, cursorOf, ShapeProblem } from './cursor.ts'
import { parseAutoscaler, parseLimitRange, parsePriorityClass, parseQuota } from './limits.ts'
import { createMask } from './mask.ts'
import { parseCronJob, parseNamespace } from './namespace.ts'
import { parseNode, parseNodeSettings, parseNodeUsage } from './node.ts'
import { parseClaim, parseStorageCapacity, parseStorageClass } from './storage.ts'
import { parseDeployment, parseEndpointSlice, parseEvent, parseMachine, parseService } from './workload.ts'

const metadata = { name: 'it', namespace: 'ci', uid: 'u', resourceVersion: '1' }
function parsed<T>(parse: (object: Cursor) => T, object: object): T {
  return parse(cursorOf({ metadata, ...object }, createMask()))
}

describe('a node', () => {
  it('has its taints, amounts, images and the Machine behind it', () => {
    const node = parsed(parseNode, {
      metadata: {
        ...metadata,
        annotations: { 'cluster.x-k8s.io/machine': 'm-1', 'cluster.x-k8s.io/cluster-namespace': 'capi' },
      },
      spec: { unschedulable: true, taints: [{ key: 'dedicated', effect: 'NoSchedule' }] },
      status: {
        allocatable: { cpu: '3920m', memory: '16Gi', 'nvidia.com/gpu': '1' },
        conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: '2026-06-01T02:00:00Z' }],
        nodeInfo: { kubeletVersion: 'v1.34.4', bootID: 'b-1' },
        images: [{ names: ['a@sha256:1', 'a:1'] }, {}],
      },
    })
    expect(node).toMatchObject({
      isCordoned: true,
      taints: [{ key: 'dedicated', value: null, effect: 'NoSchedule' }],
      allocatable: { cpu: 3.92, memory: 16 * 2 ** 30, 'nvidia.com/gpu': 1 },
      conditions: [{ type: 'Ready', status: 'Unknown', at: Date.UTC(2026, 5, 1, 2) }],
      kubeletVersion: 'v1.34.4',
      bootId: 'b-1',
      images: ['a@sha256:1', 'a:1'],
      machine: { namespace: 'capi', name: 'm-1' },
    })
    expect(parsed(parseNode, {}).machine).toBeNull()
  })

  it('whose kubelet says nothing of a filesystem has no figures for it, and no zeros', () => {
    const usage = parseNodeUsage(cursorOf({ node: {} }, createMask()), 'node-1', 5)
    expect(usage).toMatchObject({ node: 'node-1', at: 5, nodefs: { availableBytes: null }, pods: [] })
  })

  it('whose kubelet answers with another document is not read', () => {
    expect(() => parseNodeUsage(cursorOf({ kind: 'Status' }, createMask()), 'node-1', 5)).toThrow(
      ShapeProblem,
    )
    expect(() => parseNodeSettings(cursorOf({}, createMask()), 'node-1')).toThrow(ShapeProblem)
  })
})

describe('limits', () => {
  it('of a quota are those of its spec, also before its first count', () => {
    const quota = parsed(parseQuota, {
      spec: { hard: { 'requests.cpu': '4' } },
      status: { hard: { pods: '1' } },
    })
    expect(quota).toMatchObject({ isScoped: false, hard: { 'requests.cpu': 4 }, used: {} })
    expect(parsed(parseQuota, { spec: { scopes: ['BestEffort'] } }).isScoped).toBe(true)
  })

  it('of a LimitRange have their defaults', () => {
    const limits = [
      {
        type: 'Container',
        max: { memory: '8Gi' },
        default: { memory: '1Gi' },
        defaultRequest: { cpu: '100m' },
      },
    ]
    expect(parsed(parseLimitRange, { spec: { limits } }).limits).toEqual([
      {
        type: 'Container',
        max: { memory: 8 * 2 ** 30 },
        min: {},
        defaultLimits: { memory: 2 ** 30 },
        defaultRequests: { cpu: 0.1 },
      },
    ])
  })

  it('of an autoscaler begin at one where it says nothing', () => {
    const spec = { scaleTargetRef: { kind: 'Deployment', name: 'gitlab-runner' }, maxReplicas: 5 }
    const status = {
      currentReplicas: 5,
      desiredReplicas: 5,
      conditions: [{ type: 'ScalingLimited', status: 'True' }],
    }
    expect(parsed(parseAutoscaler, { spec, status })).toMatchObject({
      min: 1,
      max: 5,
      current: 5,
      target: { kind: 'Deployment', name: 'gitlab-runner' },
      conditions: [{ type: 'ScalingLimited' }],
    })
    expect(parsed(parseAutoscaler, { spec }).current).toBeNull()
  })

  it('of priority preempt unless they say never', () => {
    expect(parsed(parsePriorityClass, { value: 1_000 })).toMatchObject({ value: 1_000, preempts: true })
    expect(
      parsed(parsePriorityClass, { value: -5, preemptionPolicy: 'Never', globalDefault: true }),
    ).toMatchObject({
      value: -5,
      preempts: false,
      isDefault: true,
    })
  })
})

describe('storage', () => {
  it('is claimed by class and size', () => {
    const spec = { storageClassName: 'fast', resources: { requests: { storage: '50Gi' } } }
    expect(parsed(parseClaim, { spec, status: { phase: 'Pending' } })).toMatchObject({
      phase: 'Pending',
      storageClass: 'fast',
      requestedBytes: 50 * 2 ** 30,
      volume: null,
    })
  })

  it('has a default class by its annotation', () => {
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' }
    const given = {
      metadata: { ...metadata, annotations },
      provisioner: 'p',
      volumeBindingMode: 'WaitForFirstConsumer',
    }
    expect(parsed(parseStorageClass, given)).toMatchObject({ isDefault: true, bindsOnFirstConsumer: true })
    expect(parsed(parseStorageClass, { provisioner: 'p' })).toMatchObject({
      isDefault: false,
      bindsOnFirstConsumer: false,
    })
  })

  it('is free for the nodes with some labels, for all, or for none', () => {
    const given = { storageClassName: 'fast', capacity: '10Gi' }
    const expressions = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }
    const labels = (nodeTopology: object) =>
      parsed(parseStorageCapacity, { ...given, nodeTopology })?.nodeLabels
    expect(labels({ matchLabels: { host: 'n' }, ...expressions })).toEqual({ host: 'n', zone: 'a' })
    expect(labels({})).toEqual({})
    expect(parsed(parseStorageCapacity, given)).toBeNull()
    expect(() => labels({ matchExpressions: [{ key: 'zone', operator: 'Exists' }] })).toThrow(ShapeProblem)
  })
})

describe('workloads', () => {
  it('have one replica where nothing else is said, and only the arguments that audits judge', () => {
    const containers = [
      { name: 'manager', image: 'c:1', args: ['--update-strategy=eventual', '--token=x', 'y'] },
    ]
    expect(parsed(parseDeployment, { spec: { template: { spec: { containers } } } })).toMatchObject({
      replicas: 1,
      available: 0,
      images: { manager: 'c:1' },
      args: ['--update-strategy=eventual'],
    })
    expect(parsed(parseDeployment, { spec: { replicas: 0 } }).replicas).toBe(0)
  })

  it('are reached by services with endpoints, unless these are only names', () => {
    expect(parsed(parseService, { spec: { ports: [{ port: 80 }] } })).toMatchObject({
      ports: [80],
      hasEndpoints: true,
    })
    expect(parsed(parseService, { spec: { type: 'ExternalName' } }).hasEndpoints).toBe(false)
  })

  it('are ready behind a slice unless it says that they are not', () => {
    const endpoints = [
      { addresses: ['10.0.0.1'] },
      { addresses: ['10.0.0.2'], conditions: { ready: false } },
      { addresses: ['10.0.0.3'], conditions: { ready: true } },
    ]
    expect(parsed(parseEndpointSlice, { endpoints }).readyAddresses).toEqual(['10.0.0.1', '10.0.0.3'])
  })

  it('are the subjects of events in the old form and in the new', () => {
    const involvedObject = { kind: 'Pod', name: 'p', uid: 'u-1' }
    const old = { involvedObject, reason: 'BackOff', count: 4, lastTimestamp: '2026-06-01T02:00:00Z' }
    expect(parsed(parseEvent, old)).toMatchObject({
      subject: involvedObject,
      count: 4,
      lastAt: Date.UTC(2026, 5, 1, 2),
    })
    const series = { count: 9, lastObservedTime: '2026-06-01T03:00:00.000000Z' }
    const newer = { involvedObject, eventTime: '2026-06-01T02:00:00.000000Z', series }
    expect(parsed(parseEvent, newer)).toMatchObject({
      count: 9,
      firstAt: Date.UTC(2026, 5, 1, 2),
      lastAt: Date.UTC(2026, 5, 1, 3),
    })
    expect(parsed(parseEvent, { involvedObject })).toMatchObject({ count: 1, lastAt: null })
  })

  it('stand on Machines with their conditions', () => {
    const conditions = [
      { type: 'BootstrapReady', status: 'False', reason: 'Failed', message: 'exit status 1' },
    ]
    expect(parsed(parseMachine, { status: { phase: 'Provisioning', conditions } })).toMatchObject({
      phase: 'Provisioning',
      node: null,
      conditions: [{ type: 'BootstrapReady', message: 'exit status 1' }],
    })
  })
})

describe('a CronJob', () => {
  const cronJob = (...args: string[]) => {
    const containers = [{ command: ['/bin/sh', '-c'], args }]
    const jobTemplate = { spec: { template: { spec: { containers } } } }
    return parsed(parseCronJob, { spec: { schedule: '*/5 * * * *', suspend: true, jobTemplate } })
  }

  it('has its schedule, and only the lines that list or delete, masked', () => {
    const script =
      'export PASSWORD=hunter2\n  kubectl --token=abcdefghijklmnopqrstuvwx delete pods --all\necho done'
    const { schedule, isSuspended, deleting } = cronJob(script)
    expect({ schedule, isSuspended }).toEqual({ schedule: '*/5 * * * *', isSuspended: true })
    expect(deleting).toHaveLength(1)
    expect(deleting[0]).toContain('delete pods --all')
    expect(JSON.stringify(deleting)).not.toMatch(/hunter2|abcdefghijklmnop/)
  })

  it('has no lines where it deletes nothing, and not more than are read', () => {
    expect(cronJob('pg_dump all').deleting).toEqual([])
    expect(
      cronJob(Array.from({ length: 99 }, () => 'kubectl get pods').join('\n')).deleting.length,
    ).toBeLessThan(30)
  })
})

describe('a namespace', () => {
  it('has its phase, and is active where it says none', () => {
    expect(parsed(parseNamespace, { status: { phase: 'Terminating' } }).phase).toBe('Terminating')
    expect(parsed(parseNamespace, {}).phase).toBe('Active')
  })
})
