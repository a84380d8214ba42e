import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ClusterFacts, PodRulesFact, PodTermFact, ScaleSetFact } from '../snapshot/index.ts'
import { listed, podFact, snapshotOf } from '../snapshot/testing/facts.ts'
import { capacityModel, checkCapacity } from './index.ts'
import { laneSet, poolNode } from './testing.ts'

const none: PodRulesFact = { affinity: [], antiAffinity: [], spread: [] }

function term(app: string, given: Partial<PodTermFact> = {}): PodTermFact {
  return {
    topologyKey: 'kubernetes.io/hostname',
    selector: [{ key: 'app', operator: 'In', values: [app] }],
    namespaces: [],
    isWhole: true,
    ...given,
  }
}

function lane(name: string, app: string, rules: Partial<PodRulesFact>, max = 10, memoryGi = 4): ScaleSetFact {
  const set = laneSet(name, 'a', max, [{ memory: [memoryGi, 8] }])
  return { ...set, template: { ...set.template, labels: { app }, podRules: { ...none, ...rules } } }
}

function node(name: string, memoryGi = 30, zone = 'z1') {
  const labels = { pool: 'a', 'kubernetes.io/hostname': name, zone }
  return poolNode(name, 'a', [16, memoryGi, 100], { labels })
}

const two = [node('n-1', 30, 'z1'), node('n-2', 30, 'z2')]

function judged(scaleSets: readonly ScaleSetFact[], given: Partial<ClusterFacts> = {}) {
  const model = capacityModel(
    snapshotOf({ cluster: { scaleSets: listed(scaleSets), nodes: listed(two), ...given } }),
  )
  return { unknown: model.unknown, labels: checkCapacity(model, null) }
}

describe('a lane that keeps off itself', () => {
  it('has one slot on each node, and needs one more node for the next', () => {
    const { labels, unknown } = judged([lane('linux', 'x', { antiAffinity: [term('x')] })])
    expect(labels[0]).toMatchObject({
      effective: 2,
      atCurrentLoad: { atMost: 2, limiter: { kind: 'anti-affinity', missing: { nodes: 1 } } },
    })
    expect(unknown).toEqual([])
  })

  it.each([
    ['where its own pods are not meant', { antiAffinity: [term('y')] }],
    ['where pods of another namespace are meant', { antiAffinity: [term('x', { namespaces: ['web'] })] }],
    ['where the term means no pods', { antiAffinity: [term('x', { selector: null })] }],
  ])('has all that fit %s', (_title, rules) => {
    expect(judged([lane('linux', 'x', rules)]).labels[0]?.effective).toBe(10)
  })

  it('keeps other runners that it means off its nodes, as they keep it off theirs', () => {
    const alone = lane('alone', 'x', { antiAffinity: [term('x', { namespaces: null })] }, 1)
    const { labels } = judged([alone, lane('linux', 'x', {}, 20)])
    expect(labels.map(({ label, atDeclaredLoad }) => [label, atDeclaredLoad.slots])).toEqual([
      ['alone', 0],
      ['linux', 7],
    ])
  })
})

describe('pods of no lane', () => {
  const web = podFact('web', { namespace: 'arc-runners', node: 'n-1', labels: { app: 'web' } })

  it('keep a lane off their node, and off their zone, by its anti-affinity', () => {
    const more = [...two, node('n-3', 30, 'z1')]
    const given = { pods: listed([web]), nodes: listed(more) }
    const by = (topologyKey: string) =>
      judged([lane('linux', 'x', { antiAffinity: [term('web', { topologyKey })] }, 30)], given).labels[0]
        ?.effective
    expect(by('kubernetes.io/hostname')).toBe(14)
    expect(by('zone')).toBe(7)
    expect(by('rack')).toBe(21)
  })

  it('keep a lane off their node by their own anti-affinity', () => {
    const selfish = { ...web, podRules: { ...none, antiAffinity: [term('x')] } }
    const effective = (app: string) =>
      judged([lane('linux', app, {}, 30)], { pods: listed([selfish]) }).labels[0]?.effective
    expect(effective('x')).toBe(7)
    expect(effective('y')).toBe(14)
  })

  it('draw a lane to their node by its affinity, and without them it has no node', () => {
    const near = lane('linux', 'x', { affinity: [term('web')] }, 30)
    expect(judged([near], { pods: listed([web]) }).labels[0]?.effective).toBe(7)
    expect(judged([near]).labels[0]).toMatchObject({
      effective: 0,
      atCurrentLoad: { limiter: { kind: 'no-node' } },
    })
  })
})

describe('rules that the model does not have', () => {
  const plain = lane('plain', 'y', {})
  it.each([
    ['anti-affinity by zone between runners', { antiAffinity: [term('x', { topologyKey: 'zone' })] }],
    ['anti-affinity against another lane alone', { antiAffinity: [term('y')] }],
    ['affinity to runners', { affinity: [term('x')] }],
    ['topology spread', { spread: ['zone'] }],
    ['a namespace selector', { antiAffinity: [term('z', { isWhole: false })] }],
  ])('are said, and the figures are at most so many: %s', (_title, rules) => {
    const many = [...two, node('n-3', 30, 'z1')]
    const { unknown } = judged([lane('linux', 'x', rules), plain], { nodes: listed(many) })
    expect(unknown).toEqual([
      expect.stringMatching(/^arc-runners\/linux: .*; its figures are at most so many$/),
    ])
  })

  it('are not known from a file of an older version', () => {
    const set = lane('linux', 'x', {})
    const { unknown } = judged([{ ...set, template: { ...set.template, podRules: null } }])
    expect(unknown).toEqual([expect.stringContaining('of 1 sets: the snapshot is of an older version')])
  })
})

describe('lanes that keep off themselves and each other', () => {
  const apps = ['x', 'y'] as const
  const arbitraryLane = fc.record({
    app: fc.constantFrom(...apps),
    isApart: fc.boolean(),
    max: fc.integer({ min: 0, max: 3 }),
    memoryGi: fc.integer({ min: 1, max: 3 }),
  })

  it('have as many slots as trying every placement finds', () => {
    const cases = fc.record({
      lanes: fc.array(arbitraryLane, { minLength: 1, maxLength: 3 }),
      nodesGi: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 2 }),
    })
    fc.assert(
      fc.property(cases, ({ lanes, nodesGi }) => {
        const sets = lanes.map(({ app, isApart, max, memoryGi }, at) =>
          lane(`l-${at}`, app, { antiAffinity: isApart ? [term(app)] : [] }, max, memoryGi),
        )
        const nodes = listed(nodesGi.map((memoryGi, at) => node(`n-${at}`, memoryGi)))
        const { labels, unknown } = judged(sets, { nodes })
        expect(unknown).toEqual([])
        for (const [at, { atCurrentLoad, atDeclaredLoad }] of labels.entries()) {
          const isOther = (other: number) => other !== at
          expect(atCurrentLoad.slots).toBe(most(lanes, nodesGi, at, () => false).wanted)
          const { others, wanted } = most(lanes, nodesGi, at, isOther)
          const declared = lanes.reduce((sum, { max }, other) => sum + (isOther(other) ? max : 0), 0)
          expect([declared - atDeclaredLoad.othersLeftOut, atDeclaredLoad.slots]).toEqual([others, wanted])
        }
      }),
      { numRuns: 150 },
    )
  })
})

interface SmallLane {
  readonly app: string
  readonly isApart: boolean
  readonly max: number
  readonly memoryGi: number
}

/** Tries every placement of whole pods, by the scheduler's own rule: no pod next to one that either of them excludes. */
function most(
  lanes: readonly SmallLane[],
  nodesGi: readonly number[],
  wanted: number,
  isPlaced: (lane: number) => boolean,
): { readonly others: number; readonly wanted: number } {
  const pods = lanes.flatMap(({ max }, at) =>
    at === wanted || isPlaced(at) ? Array(max).fill(at) : [],
  ) as number[]
  const on = nodesGi.map((): number[] => [])
  let best = { others: 0, wanted: 0 }
  const go = (next: number, placed: typeof best): void => {
    if (placed.others > best.others || (placed.others === best.others && placed.wanted > best.wanted))
      best = placed
    const pod = pods[next]
    if (pod === undefined) return
    go(next + 1, placed)
    const own = lanes[pod] as SmallLane
    for (const [at, there] of on.entries()) {
      const used = there.reduce((sum, other) => sum + (lanes[other] as SmallLane).memoryGi, own.memoryGi)
      const isExcluded = there.some((other) => {
        const { app, isApart } = lanes[other] as SmallLane
        return app === own.app && (isApart || own.isApart)
      })
      if (used > (nodesGi[at] as number) || isExcluded) continue
      there.push(pod)
      const isWanted = pod === wanted
      go(next + 1, { others: placed.others + (isWanted ? 0 : 1), wanted: placed.wanted + (isWanted ? 1 : 0) })
      there.pop()
    }
  }
  go(0, best)
  return best
}
