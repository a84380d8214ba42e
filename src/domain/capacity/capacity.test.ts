import { describe, expect, it } from 'vitest'
import type { ClusterFacts } from '../snapshot/index.ts'
import {
  containerFact,
  listed,
  objectFact,
  podFact,
  runnerFact,
  snapshotOf,
  unread,
} from '../snapshot/testing/facts.ts'
import { capacityModel, checkCapacity, nodeDemands, type Supposition, suppose } from './index.ts'
import { gi, laneSet, poolNode } from './testing.ts'

function modelOf(cluster: Partial<ClusterFacts>) {
  return capacityModel(snapshotOf({ cluster }))
}

/** Runner pods of a set, on a node. */
function podsOf(set: string, node: string | null, count: number, memoryGi: number) {
  const names = Array.from({ length: count }, (_, index) => `${set}-${node}-${index}`)
  const containers = [containerFact({ requests: { memory: memoryGi * gi } })]
  return {
    runners: names.map((name) => runnerFact(name, { scaleSet: { namespace: 'arc-runners', name: set } })),
    pods: names.map((name) =>
      podFact(name, { node, containers, ...(node === null && { phase: 'Pending' }) }),
    ),
  }
}

const small = laneSet('small', 'a', 10, [{ memory: [4, 8] }])

describe('slots of a label', () => {
  it('are what its nodes have room for, and the limiter is what one more would need', () => {
    const model = modelOf({
      scaleSets: listed([small]),
      nodes: listed([poolNode('a-1', 'a', [16, 30, 100])]),
    })
    const [label] = checkCapacity(model, null)
    expect(label).toMatchObject({ label: 'small', declared: 10, effective: 7, running: 0 })
    expect(label?.atCurrentLoad).toEqual({
      load: 'current',
      slots: 7,
      atMost: 7,
      othersLeftOut: 0,
      limiter: { kind: 'node', lane: 'small', place: 'a-1', missing: { memory: 2 * gi } },
    })
  })

  it('are the declared maximum where the nodes have more room', () => {
    const model = modelOf({
      scaleSets: listed([small]),
      nodes: listed([poolNode('a-1', 'a', [16, 300, 900])]),
    })
    expect(checkCapacity(model, null)[0]).toMatchObject({
      effective: 10,
      atCurrentLoad: { slots: 10, limiter: { kind: 'declared-maximum', missing: { runners: 1 } } },
    })
  })

  it('are none where no node may have its pods, whatever is free elsewhere', () => {
    const model = modelOf({
      scaleSets: listed([small]),
      nodes: listed([poolNode('b-1', 'b', [16, 300, 900])]),
    })
    expect(checkCapacity(model, null)[0]).toMatchObject({
      effective: 0,
      atCurrentLoad: { limiter: { kind: 'no-node' } },
    })
  })

  it('count pods that are there, less what other lanes and other pods hold on the node', () => {
    const other = laneSet('other', 'a', 10, [{ memory: [4, 8] }])
    const own = podsOf('small', 'a-1', 2, 4)
    const others = podsOf('other', 'a-1', 1, 4)
    const base = podFact('daemon', {
      node: 'a-1',
      containers: [containerFact({ requests: { memory: 10 * gi } })],
    })
    const over = podFact('over', { ...base, name: 'over', phase: 'Succeeded' })
    const model = modelOf({
      scaleSets: listed([small, other]),
      nodes: listed([poolNode('a-1', 'a', [16, 30, 100])]),
      runners: listed([...own.runners, ...others.runners]),
      pods: listed([...own.pods, ...others.pods, base, over]),
    })
    const [, label] = checkCapacity(model, null)
    // 30 - 10 base - 4 other = 16: four of ours, two of which run.
    expect(label).toMatchObject({ label: 'small', running: 2, atCurrentLoad: { slots: 4 } })
    // The other lane alone would take all of the 20 that are left at its declared maximum.
    expect(label?.atDeclaredLoad).toMatchObject({ slots: 0, othersLeftOut: 5 })
  })

  it('are bounded by the quota of their namespace, of which their own pods are given back', () => {
    const own = podsOf('small', 'a-1', 2, 4)
    const quota = { ...objectFact('runners'), isScoped: false, hard: { pods: 5 }, used: { pods: 3 } }
    const model = modelOf({
      scaleSets: listed([small]),
      nodes: listed([poolNode('a-1', 'a', [16, 300, 900])]),
      quotas: listed([quota]),
      ...{ runners: listed(own.runners), pods: listed(own.pods) },
    })
    expect(checkCapacity(model, null)[0]).toMatchObject({
      effective: 4,
      atCurrentLoad: {
        slots: 4,
        limiter: { kind: 'shared-limit', place: 'quota arc-runners/runners, pods', missing: { pods: 1 } },
      },
    })
  })

  it('are bounded by the free space of a storage class', () => {
    const volume = {
      name: 'work',
      kind: 'ephemeral-claim' as const,
      claim: null,
      storageClass: 'fast',
      sizeBytes: 10 * gi,
      mountPaths: ['/work'],
    }
    const set = { ...small, template: { ...small.template, volumes: [volume] } }
    const model = modelOf({
      scaleSets: listed([set]),
      nodes: listed([poolNode('a-1', 'a', [16, 300, 900])]),
      storageCapacity: listed([{ storageClass: 'fast', availableBytes: 35 * gi, nodeLabels: {} }]),
    })
    expect(checkCapacity(model, null)[0]).toMatchObject({
      effective: 3,
      atCurrentLoad: { limiter: { place: 'storage class fast', missing: { bytes: 5 * gi } } },
    })
  })

  it('are those of all sets that carry the label, and only of labels that were asked for', () => {
    const overflow = laneSet('overflow', 'b', 3, [{ memory: [4, 8] }], { runnerLabels: ['small'] })
    const model = modelOf({
      scaleSets: listed([small, overflow, laneSet('big', 'a', 1, [{ memory: [1, 1] }])]),
      nodes: listed([poolNode('a-1', 'a', [16, 9, 100]), poolNode('b-1', 'b', [16, 300, 900])]),
    })
    expect(checkCapacity(model, ['small'])).toMatchObject([
      { declared: 13, effective: 5, sets: { length: 2 } },
    ])
  })

  it('take requests that a limit range adds, and limits where a container names nothing else', () => {
    const bare = laneSet('bare', 'a', 10, [{}])
    const container = containerFact({ limits: { cpu: 2 } })
    const set = { ...bare, template: { ...bare.template, containers: [container] } }
    const range = {
      ...objectFact('defaults'),
      limits: [
        {
          type: 'Container',
          max: {},
          min: {},
          defaultLimits: { memory: 8 * gi, cpu: 9 },
          defaultRequests: { memory: 4 * gi, cpu: 7 },
        },
      ],
    }
    const model = modelOf({
      scaleSets: listed([set]),
      limitRanges: listed([range]),
      nodes: listed([poolNode('a-1', 'a', [16, 22, 100])]),
    })
    expect(model.lanes[0]?.amounts).toEqual({
      requests: { cpu: 2, memory: 4 * gi, pods: 1 },
      limits: { cpu: 2, memory: 8 * gi },
    })
    expect(checkCapacity(model, null)[0]?.effective).toBe(5)
  })

  it('say which facts are unknown', () => {
    const model = modelOf({ nodes: unread('nodes'), scaleSets: listed([small]) })
    expect(model.unknown).toEqual(['nodes: forbidden'])
  })

  it('are unknown where the snapshot was narrowed: other pods are on the nodes too', () => {
    const scope = { namespaces: ['arc-runners'], labels: null, nodes: null }
    const narrowed = snapshotOf({ cluster: { scaleSets: listed([small]) }, snapshot: { scope } })
    expect(capacityModel(narrowed).unknown).toEqual([expect.stringContaining('the snapshot was narrowed')])
  })
})

describe('a published envelope', () => {
  const bound = (
    name: string,
    node: string,
    max: number,
    memory: [number, number],
    ...eph: [number, number][]
  ) =>
    laneSet(
      name,
      node,
      max,
      eph.map((ephemeral, index) => (index === 0 ? { memory, ephemeral } : { ephemeral })),
    )
  const model = modelOf({
    scaleSets: listed([
      bound('docker', 'sting', 20, [0.25, 4], [1, 8]),
      bound('nix', 'honey', 16, [1, 8], [24, 40]),
      bound('nix-compute-expansion', 'sting', 8, [4, 16], [1, 16]),
      bound('dind', 'honey', 20, [1, 8], [4, 8], [24, 40]),
      bound('dind-compute-expansion', 'sting', 16, [1, 8], [0.5, 2], [1, 4]),
      bound('nix-operator', 'honey', 1, [4, 8], [8, 16]),
      bound('nix-heavy', 'honey', 2, [64, 160], [192, 256]),
    ]),
    nodes: listed([
      poolNode('honey', 'honey', [64, 219.8, 1000]),
      poolNode('sting', 'sting', [32, 54.7, 500]),
      poolNode('bumble', 'bumble', [8, 15.3, 100]),
    ]),
  })
  const row = (node: string, resource: string) =>
    nodeDemands(model)
      .find(({ nodes }) => nodes.join() === node)
      ?.rows.find((each) => each.resource === resource)

  it('needs 1336 GiB of ephemeral storage on honey at its declared maximum', () => {
    expect((row('honey', 'ephemeral-storage')?.requested ?? 0) / gi).toBe(1336)
  })

  it('requests 53 of 54.7 GiB of memory on sting, with limits 6.1 times what is allocatable', () => {
    const { requested = 0, allocatable = 0, overcommit = 0 } = row('sting', 'memory') ?? {}
    expect([requested / gi, allocatable / gi, overcommit.toFixed(1)]).toEqual([53, 54.7, '6.1'])
  })

  it('has lanes that cannot reach their maximum together, and says what is missing for one more', () => {
    const heavy = checkCapacity(model, ['nix-heavy'])[0]
    expect(heavy).toMatchObject({
      declared: 2,
      atCurrentLoad: { slots: 2 },
      atDeclaredLoad: { slots: 0, limiter: { place: 'honey' } },
    })
    expect(heavy?.atDeclaredLoad.limiter?.missing).toHaveProperty('ephemeral-storage')
  })
})

describe('what-if', () => {
  const model = modelOf({
    scaleSets: listed([small]),
    nodes: listed([poolNode('a-1', 'a', [16, 30, 100]), poolNode('b-1', 'b', [16, 64, 100])]),
    quotas: listed([{ ...objectFact('runners'), isScoped: false, hard: { pods: 5 }, used: { pods: 0 } }]),
  })
  const effective = (...suppositions: Supposition[]) => {
    const after = suppositions.reduce((current, each) => {
      const supposed = suppose(current, each)
      if (supposed.kind === 'unknown') throw new Error(supposed.what)
      return supposed.model
    }, model)
    return checkCapacity(after, ['small'])[0]?.effective
  }
  const quota = (amount: number): Supposition => ({
    kind: 'quota-changed',
    quota: 'arc-runners/runners',
    resource: 'pods',
    amount,
  })

  it('counts slots with a quota raised, nodes added or gone, a maximum changed and a lane moved', () => {
    expect(effective()).toBe(5)
    expect(effective(quota(20))).toBe(7)
    expect(effective(quota(20), { kind: 'nodes-added', like: 'a-1', count: 1 })).toBe(10)
    expect(
      effective(
        quota(20),
        { kind: 'nodes-added', like: 'a-1', count: 1 },
        { kind: 'max-changed', set: 'small', max: 20 },
      ),
    ).toBe(14)
    expect(effective({ kind: 'node-gone', node: 'a-1' })).toBe(0)
    expect(effective(quota(20), { kind: 'lane-moved', set: 'small', node: 'b-1' })).toBe(10)
  })

  it('refuses names that are not there, and says which are', () => {
    expect(suppose(model, { kind: 'node-gone', node: 'c' })).toEqual({
      kind: 'unknown',
      what: 'node c',
      known: ['a-1', 'b-1'],
    })
    expect(suppose(model, { kind: 'max-changed', set: 'huge', max: 3 })).toMatchObject({ kind: 'unknown' })
    expect(suppose(model, { kind: 'lane-moved', set: 'small', node: 'c' })).toMatchObject({ kind: 'unknown' })
  })
})
