import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { podAsks } from './asks.ts'
import { keepNode, keepQuota, type NodeObject, type QuotaObject, type RunnerPod } from './objects.ts'
import { quantityOf } from './quantity.ts'
import { type RoomFacts, readRoom } from './room.ts'
import { createTaken } from './taken.ts'
import { aPod, leaving, now, terminated } from './testing/pod.ts'

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
    const read = quantityOf(text)
    if (value === null) expect(read).toBeNull()
    else expect(read).toBeCloseTo(value, 9)
  })

  it('is never NaN, whatever is written', () => {
    const property = fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.eEmKi+-]{0,8}$/)), (text) => {
      expect(quantityOf(text)).not.toBeNaN()
    })
    fc.assert(property)
  })
})

describe('what a pod asks for', () => {
  const container = (cpu: string, more: object = {}) => ({
    ...{ name: 'c', image: 'i', resources: { requests: { cpu } } },
    ...more,
  })
  it('is what runs together, or the init container that alone asks for more', () => {
    const containers = [container('1'), container('2')]
    expect(podAsks({ containers, initContainers: [container('1')] })['requests.cpu']).toBe(3)
    expect(podAsks({ containers, initContainers: [container('5')] })['requests.cpu']).toBe(5)
  })
  it('counts an init container that stays beside all that come after it', () => {
    const beside = container('1', { restartPolicy: 'Always' })
    const asks = podAsks({ containers: [container('1')], initContainers: [beside, container('4')] })
    expect(asks['requests.cpu']).toBe(5)
    expect(podAsks({ containers: [container('1')], initContainers: [beside] })['requests.cpu']).toBe(2)
  })
  it('takes a limit for the request where none is said, and what its runtime costs', () => {
    const limited = { name: 'c', image: 'i', resources: { limits: { memory: '1Gi' } } }
    const asks = podAsks({ containers: [limited], initContainers: [], overhead: { memory: '1Gi' } })
    expect(asks).toMatchObject({ pods: 1, 'requests.memory': 2 ** 31, 'limits.memory': 2 ** 31 })
  })
})

describe('the room for more', () => {
  const meta = (name: string, labels = {}) => ({ name, uid: name, resourceVersion: '1', labels })
  const node = (name: string, over: { spec?: object; cpu?: string; ready?: string; labels?: object } = {}) =>
    keepNode({
      ...{ metadata: meta(name, over.labels), spec: over.spec ?? {} },
      status: {
        conditions: [{ type: 'Ready', status: over.ready ?? 'True' }],
        allocatable: { cpu: over.cpu ?? '4', pods: '110' },
      },
    }) as NodeObject
  const quota = (hard: object, used: object, spec = {}) =>
    keepQuota({ metadata: meta('q'), spec, status: { hard, used } }) as QuotaObject
  const prototype = {
    ...{
      template: 't',
      problems: [],
      nodeSelector: {},
      tolerations: [],
      asks: { pods: 1, 'requests.cpu': 1 },
    },
    pod: () => {
      throw new Error('no pod is made here')
    },
  }
  const takenBy = (pods: readonly RunnerPod[]) => {
    const tally = createTaken()
    for (const object of pods) tally.note({ kind: 'added', key: object.metadata.name, object })
    return tally.taken()
  }
  const room = ({ pods = [], ...over }: Partial<RoomFacts> & { pods?: readonly RunnerPod[] }) =>
    readRoom({
      ...{ prototype, quotas: [], nodes: [], unseen: 0, nodesMayGrow: false, now },
      ...{ taken: takenBy(pods), ...over },
    })
  const asking = (words: Parameters<typeof aPod>[0] = {}) => ({ ...aPod(words), asks: prototype.asks })

  it('is what the nodes have left of what we see there', () => {
    expect(room({ nodes: [node('node-1'), node('node-2')] })).toEqual({ more: 8, trouble: null })
    const pods = [asking(), asking({ name: 'b', spec: { nodeName: undefined } })]
    expect(room({ nodes: [node('node-1')], pods, unseen: 1 })).toEqual({ more: 1, trouble: null })
  })
  it('is not taken by what has ended', () => {
    const pods = [
      asking({ status: { phase: 'Failed' } }),
      asking({ metadata: leaving, runner: terminated(0) }),
    ]
    expect(room({ nodes: [node('node-1')], pods }).more).toBe(4)
  })
  it('is given back by what is placed, ends or goes', () => {
    const tally = createTaken()
    const key = 'a'
    const waits = asking({ spec: { nodeName: undefined } })
    const placed = asking()
    const ended = asking({ status: { phase: 'Failed' } })
    const more = () => room({ nodes: [node('node-1')], taken: tally.taken() }).more
    const steps = [
      [
        { kind: 'added', key, object: waits },
        { waiting: 1, nodes: 0, more: 3 },
      ],
      [
        { kind: 'changed', key, object: placed, before: waits },
        { waiting: 0, nodes: 1, more: 3 },
      ],
      [
        { kind: 'changed', key, object: ended, before: placed },
        { waiting: 0, nodes: 0, more: 4 },
      ],
      [
        { kind: 'removed', key, object: ended, isFinal: true },
        { waiting: 0, nodes: 0, more: 4 },
      ],
      [
        { kind: 'added', key, object: placed },
        { waiting: 0, nodes: 1, more: 3 },
      ],
      [
        { kind: 'removed', key, object: ended, isFinal: true },
        { waiting: 0, nodes: 0, more: 4 },
      ],
    ] as const
    for (const [change, after] of steps) {
      tally.note(change)
      const { waiting, on } = tally.taken()
      expect({ waiting, nodes: on.size, more: more() }).toEqual(after)
    }
  })
  it('is none on nodes that are not ready, closed, tainted or not selected', () => {
    const taints = [{ key: 'gpu', effect: 'NoSchedule' }]
    const nodes = [
      ...[node('a', { ready: 'False' }), node('b', { spec: { unschedulable: true } })],
      node('c', { spec: { taints } }),
    ]
    const none = { more: 0, trouble: { kind: 'NoHealthyNode', message: expect.any(String), since: now } }
    expect(room({ nodes })).toEqual(none)
    const picky = { ...prototype, nodeSelector: { disk: 'fast' } }
    expect(room({ prototype: picky, nodes: [node('d')] })).toEqual(none)
    expect(room({ prototype: picky, nodes: [node('d', { labels: { disk: 'fast' } })] }).more).toBe(4)
    const tolerant = { ...prototype, tolerations: [{ key: 'gpu', operator: 'Exists' }] }
    expect(room({ prototype: tolerant, nodes }).more).toBe(4)
  })
  it('is not bounded by the nodes there are where more may come', () => {
    expect(room({ nodesMayGrow: true })).toEqual({ more: null, trouble: null })
  })
  it('is what the narrowest quota leaves, and its words where it leaves none', () => {
    const nodes = [node('node-1')]
    const wide = quota({ pods: '10' }, { pods: '1' })
    expect(
      room({ nodes, quotas: [wide, quota({ 'requests.cpu': '4500m' }, { 'requests.cpu': '2' })] }).more,
    ).toBe(2)
    expect(room({ nodes, quotas: [quota({ cpu: '3' }, { cpu: '3' })] })).toMatchObject({
      ...{ more: 0, trouble: { kind: 'QuotaExceeded', message: expect.stringContaining('cpu 3') } },
    })
  })
  it('is not bounded by a quota of what we do not ask for, or for other pods', () => {
    const nodes = [node('node-1')]
    const others = [
      quota({ services: '0', 'limits.memory': '0' }, {}),
      quota({ pods: '0' }, {}, { scopes: ['BestEffort'] }),
    ]
    expect(room({ nodes, quotas: others }).more).toBe(4)
  })
})
