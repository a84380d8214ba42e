import { describe, expect, it } from 'vitest'
import { nodeFact, templateFact } from '../snapshot/testing/facts.ts'
import { placementRefusal } from './placement.ts'

const taint = { key: 'dedicated', value: 'compute', effect: 'NoSchedule' }
const exact = { key: 'dedicated', operator: 'Equal', value: 'compute', effect: 'NoSchedule' }
const ready = (status: string) => [{ type: 'Ready', status, reason: null, message: null, at: null }]

describe('a pod is kept off a node', () => {
  it.each([
    ['that is cordoned', templateFact(), nodeFact('n', { isCordoned: true }), 'it is cordoned'],
    ['that is not Ready', templateFact(), nodeFact('n', { conditions: ready('Unknown') }), 'it is not Ready'],
    [
      'without the label of its selector',
      templateFact({ nodeSelector: { pool: 'a' } }),
      nodeFact('n'),
      'it has not the label pool=a',
    ],
    [
      'with a taint that it does not tolerate',
      templateFact({ tolerations: [{ ...exact, value: 'other' }] }),
      nodeFact('n', { taints: [taint] }),
      'its taint dedicated is not tolerated',
    ],
    [
      'that its required affinity excludes',
      templateFact({ nodeAffinity: [[{ key: 'pool', operator: 'In', values: ['a', 'b'] }]] }),
      nodeFact('n', { labels: { pool: 'c' } }),
      'the required node affinity excludes it',
    ],
  ])('%s', (_title, template, node, why) => {
    expect(placementRefusal(template, node)).toBe(why)
  })
})

describe('a pod may go to a node', () => {
  it.each([
    ['with nothing against it', templateFact(), nodeFact('n')],
    ['whose taint it tolerates', templateFact({ tolerations: [exact] }), nodeFact('n', { taints: [taint] })],
    [
      'where it tolerates everything',
      templateFact({ tolerations: [{ key: null, operator: 'Exists', value: null, effect: null }] }),
      nodeFact('n', { taints: [taint] }),
    ],
    [
      'whose taint only asks to be avoided',
      templateFact(),
      nodeFact('n', { taints: [{ ...taint, effect: 'PreferNoSchedule' }] }),
    ],
    [
      'for which one term of its affinity holds',
      templateFact({
        nodeAffinity: [
          [{ key: 'pool', operator: 'In', values: ['x'] }],
          [
            { key: 'pool', operator: 'Exists', values: [] },
            { key: 'cores', operator: 'Gt', values: ['8'] },
            { key: 'gpu', operator: 'DoesNotExist', values: [] },
            { key: 'pool', operator: 'NotIn', values: ['b'] },
            { key: 'cores', operator: 'Lt', values: ['64'] },
          ],
        ],
      }),
      nodeFact('n', { labels: { pool: 'a', cores: '16' } }),
    ],
  ])('%s', (_title, template, node) => {
    expect(placementRefusal(template, node)).toBeNull()
  })
})
