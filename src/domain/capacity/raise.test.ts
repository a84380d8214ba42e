import { describe, expect, it } from 'vitest'
import { listed, snapshotOf } from '../snapshot/testing/facts.ts'
import { checkCapacity } from './check.ts'
import { capacityModel } from './model.ts'
import { raisesIn } from './raise.ts'
import { laneSet, poolNode } from './testing.ts'
import { type Supposition, suppose } from './what-if.ts'

/** Two lanes that share one node with room for seven runners. */
const model = capacityModel(
  snapshotOf({
    cluster: {
      scaleSets: listed([
        laneSet('linux', 'a', 10, [{ memory: [4, 8] }], { runnerLabels: ['linux'] }),
        laneSet('other', 'a', 5, [{ memory: [4, 8] }], { runnerLabels: ['other'] }),
      ]),
      nodes: listed([poolNode('a-1', 'a', [16, 30, 100])]),
    },
  }),
)

function raises(supposition: Supposition, asked: readonly string[] | null = null) {
  const supposed = suppose(model, supposition)
  if (supposed.kind === 'unknown') throw new Error(supposed.what)
  const after = { model: supposed.model, labels: checkCapacity(supposed.model, asked) }
  return raisesIn([supposition], { model, labels: checkCapacity(model, asked) }, after, asked)
}

describe('a supposed change', () => {
  it('is a raise of the maximum where more runners are declared, also where no more fit', () => {
    const raised = raises({ kind: 'max-changed', set: 'linux', max: 20 })
    expect(raised).toEqual([{ kind: 'maximum', labels: ['linux'] }])
  })

  it('is none where fewer are declared, though others have more room by it, or where a node goes', () => {
    expect(raises({ kind: 'max-changed', set: 'other', max: 1 })).toEqual([])
    expect(raises({ kind: 'node-gone', node: 'a-1' })).toEqual([])
  })

  it('is a raise of room where nodes are added, for the labels that were asked for', () => {
    const added: Supposition = { kind: 'nodes-added', like: 'a-1', count: 1 }
    expect(raises(added)).toEqual([{ kind: 'room', labels: ['linux', 'other'] }])
    expect(raises(added, ['linux'])).toEqual([{ kind: 'room', labels: ['linux'] }])
    expect(raises({ kind: 'max-changed', set: 'linux', max: 20 }, ['other'])).toEqual([])
  })

  it('is none where a lane stays where it was', () => {
    expect(raises({ kind: 'lane-moved', set: 'linux', node: 'a-1' })).toEqual([])
  })
})
