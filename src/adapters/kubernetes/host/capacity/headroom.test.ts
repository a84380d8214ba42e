import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQuantity } from '../../../../domain/quantity.ts'
import {
  type NodeObject,
  type QuotaObject,
  type RunnerPod,
  toNodeObject,
  toQuotaObject,
} from '../objects/objects.ts'
import { aPod, leaving, now, terminated } from '../testing/pod.ts'
import { type HeadroomFacts, headroomOf } from './headroom.ts'
import { podRequests } from './requests.ts'
import { createUsageTracker } from './usage.ts'

describe('a quantity', () => {
  const cases: readonly (readonly [text: unknown, value: number | null])[] = [
    ['0', 0],
    ['1', 1],
    ['500m', 0.5],
    ['1.5', 1.5],
    ['.5', 0.5],
    ['2e3', 2_000],
    ['1E3', 1_000],
    ['1Ki', 1_024],
    ['1.5Gi', 1.5 * 2 ** 30],
    ['10M', 1e7],
    ['1E', 1e18],
    ['-1', -1],
    ['100n', 1e-7],
    ['', null],
    ['1 Gi', null],
    ['Gi', null],
    ['1.2.3', null],
    [undefined, null],
    [{}, null],
  ]
  it.each(cases)('%j is %j', (text, value) => {
    const read = parseQuantity(text)
    if (value === null) expect(read).toBeNull()
    else expect(read).toBeCloseTo(value, 9)
  })

  it('is never NaN, whatever is written', () => {
    const property = fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.eEmKi+-]{0,8}$/)), (text) => {
      expect(parseQuantity(text)).not.toBeNaN()
    })
    fc.assert(property)
  })
})

describe('the requests of a pod', () => {
  const container = (cpu: string, more: object = {}) => ({
    name: 'c',
    image: 'i',
    resources: { requests: { cpu } },
    ...more,
  })
  it('are the sum of its containers, or those of the init container that requests more', () => {
    const containers = [container('1'), container('2')]
    expect(podRequests({ containers, initContainers: [container('1')] })['requests.cpu']).toBe(3)
    expect(podRequests({ containers, initContainers: [container('5')] })['requests.cpu']).toBe(5)
  })
  it('count a sidecar in addition to all containers that come after it', () => {
    const sidecar = container('1', { restartPolicy: 'Always' })
    const asks = podRequests({ containers: [container('1')], initContainers: [sidecar, container('4')] })
    expect(asks['requests.cpu']).toBe(5)
    expect(podRequests({ containers: [container('1')], initContainers: [sidecar] })['requests.cpu']).toBe(2)
  })
  it('are its limits where it has no requests, plus the overhead of its runtime class', () => {
    const limited = { name: 'c', image: 'i', resources: { limits: { memory: '1Gi' } } }
    const asks = podRequests({ containers: [limited], initContainers: [], overhead: { memory: '1Gi' } })
    expect(asks).toMatchObject({ pods: 1, 'requests.memory': 2 ** 31, 'limits.memory': 2 ** 31 })
  })
})

describe('the headroom', () => {
  const meta = (name: string, labels = {}) => ({ name, uid: name, resourceVersion: '1', labels })
  const node = (name: string, over: { spec?: object; cpu?: string; ready?: string; labels?: object } = {}) =>
    toNodeObject({
      metadata: meta(name, over.labels),
      spec: over.spec ?? {},
      status: {
        conditions: [{ type: 'Ready', status: over.ready ?? 'True' }],
        allocatable: { cpu: over.cpu ?? '4', pods: '110' },
      },
    }) as NodeObject
  const quota = (hard: object, used: object, spec = {}) =>
    toQuotaObject({ metadata: meta('q'), spec, status: { hard, used } }) as QuotaObject
  const prototype = {
    template: 't',
    problems: [],
    nodeSelector: {},
    tolerations: [],
    requests: { pods: 1, 'requests.cpu': 1 },
    pod: () => {
      throw new Error('no pod is made here')
    },
  }
  const usageOf = (pods: readonly RunnerPod[]) => {
    const tracker = createUsageTracker()
    for (const object of pods) tracker.observe({ kind: 'added', key: object.metadata.name, object })
    return tracker.usage()
  }
  const headroom = ({ pods = [], ...over }: Partial<HeadroomFacts> & { pods?: readonly RunnerPod[] }) =>
    headroomOf({
      prototype,
      quotas: [],
      nodes: [],
      pendingCreates: 0,
      nodesMayGrow: false,
      now,
      usage: usageOf(pods),
      ...over,
    })
  const requesting = (words: Parameters<typeof aPod>[0] = {}) => ({
    ...aPod(words),
    requests: prototype.requests,
  })

  it('is what the nodes have left after the requests of pods and pending creates', () => {
    expect(headroom({ nodes: [node('node-1'), node('node-2')] })).toEqual({ more: 8, problem: null })
    const pods = [requesting(), requesting({ name: 'b', spec: { nodeName: undefined } })]
    expect(headroom({ nodes: [node('node-1')], pods, pendingCreates: 1 })).toEqual({ more: 1, problem: null })
  })
  it('is not reduced by pods that have ended', () => {
    const pods = [
      requesting({ status: { phase: 'Failed' } }),
      requesting({ metadata: leaving, runner: terminated(0) }),
    ]
    expect(headroom({ nodes: [node('node-1')], pods }).more).toBe(4)
  })
  it('is corrected when a pod is placed, ends or is deleted', () => {
    const tracker = createUsageTracker()
    const key = 'a'
    const waits = requesting({ spec: { nodeName: undefined } })
    const placed = requesting()
    const ended = requesting({ status: { phase: 'Failed' } })
    const more = () => headroom({ nodes: [node('node-1')], usage: tracker.usage() }).more
    const steps = [
      [
        { kind: 'added', key, object: waits },
        { unscheduled: 1, nodes: 0, more: 3 },
      ],
      [
        { kind: 'changed', key, object: placed, before: waits },
        { unscheduled: 0, nodes: 1, more: 3 },
      ],
      [
        { kind: 'changed', key, object: ended, before: placed },
        { unscheduled: 0, nodes: 0, more: 4 },
      ],
      [
        { kind: 'removed', key, object: ended, isFinal: true },
        { unscheduled: 0, nodes: 0, more: 4 },
      ],
      [
        { kind: 'added', key, object: placed },
        { unscheduled: 0, nodes: 1, more: 3 },
      ],
      [
        { kind: 'removed', key, object: ended, isFinal: true },
        { unscheduled: 0, nodes: 0, more: 4 },
      ],
    ] as const
    for (const [change, after] of steps) {
      tracker.observe(change)
      const { unscheduled, byNode } = tracker.usage()
      expect({ unscheduled, nodes: byNode.size, more: more() }).toEqual(after)
    }
  })
  it('is none on nodes that are not ready, closed, tainted or not selected', () => {
    const taints = [{ key: 'gpu', effect: 'NoSchedule' }]
    const nodes = [
      ...[node('a', { ready: 'False' }), node('b', { spec: { unschedulable: true } })],
      node('c', { spec: { taints } }),
    ]
    const none = { more: 0, problem: { kind: 'NoHealthyNode', message: expect.any(String), since: now } }
    expect(headroom({ nodes })).toEqual(none)
    const picky = { ...prototype, nodeSelector: { disk: 'fast' } }
    expect(headroom({ prototype: picky, nodes: [node('d')] })).toEqual(none)
    expect(headroom({ prototype: picky, nodes: [node('d', { labels: { disk: 'fast' } })] }).more).toBe(4)
    const tolerant = { ...prototype, tolerations: [{ key: 'gpu', operator: 'Exists' }] }
    expect(headroom({ prototype: tolerant, nodes }).more).toBe(4)
  })
  it('is not bounded by the nodes there are where more may come', () => {
    expect(headroom({ nodesMayGrow: true })).toEqual({ more: null, problem: null })
  })
  it('is what the tightest quota leaves, with the message of the quota where it leaves none', () => {
    const nodes = [node('node-1')]
    const wide = quota({ pods: '10' }, { pods: '1' })
    expect(
      headroom({ nodes, quotas: [wide, quota({ 'requests.cpu': '4500m' }, { 'requests.cpu': '2' })] }).more,
    ).toBe(2)
    expect(headroom({ nodes, quotas: [quota({ cpu: '3' }, { cpu: '3' })] })).toMatchObject({
      more: 0,
      problem: { kind: 'QuotaExceeded', message: expect.stringContaining('cpu 3') },
    })
  })
  it('is not bounded by a quota for other resources or for other pods', () => {
    const nodes = [node('node-1')]
    const others = [
      quota({ services: '0', 'limits.memory': '0' }, {}),
      quota({ pods: '0' }, {}, { scopes: ['BestEffort'] }),
    ]
    expect(headroom({ nodes, quotas: others }).more).toBe(4)
  })
})
