import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { now } from '../../../test/support/rows.ts'
import { type NodeStarts, quarantine, quarantineWindowMs } from './index.ts'

const minuteMs = 60_000
const readyNodes = ['n1', 'n2', 'n3']
const pool = 'linux'
const failed = (node: string, times: number, of = pool) =>
  Array.from({ length: times }, (_, index) => ({ node, pool: of, at: now - minuteMs - index * 1_000 }))
const elsewhere = [{ node: 'n2', pool, madeAt: now - minuteMs }]
const starts = (over: Partial<NodeStarts>): NodeStarts => ({
  failures: failed('n1', 3),
  successes: elsewhere,
  readyNodes,
  ...over,
})
const avoided = (over: Partial<NodeStarts>, at = now) => quarantine(starts(over), at).map(({ node }) => node)

describe('the quarantine of nodes', () => {
  it('avoids a node on which three starts failed while they succeed elsewhere', () => {
    const until = now - minuteMs + 10 * minuteMs
    expect(quarantine(starts({}), now)).toEqual([{ node: 'n1', until, failureCount: 3 }])
  })

  it('does not avoid a node for two failures', () => {
    expect(avoided({ failures: failed('n1', 2) })).toEqual([])
  })

  it('does not avoid a node where nothing succeeds elsewhere: the fault is not the node', () => {
    expect(avoided({ successes: [] })).toEqual([])
    const before = [{ node: 'n2', pool, madeAt: now - 2 * minuteMs }]
    const failures = [...failed('n1', 3), ...failed('n3', 1)]
    expect(avoided({ failures, successes: before })).toEqual([])
  })

  it('avoids a node that gets every new runner, where those made before on others got going', () => {
    const before = [{ node: 'n2', pool, madeAt: now - 5 * minuteMs }]
    expect(avoided({ successes: before })).toEqual(['n1'])
    const long = [{ node: 'n2', pool, madeAt: now - quarantineWindowMs }]
    expect(avoided({ successes: long })).toEqual([])
  })

  it('does not blame a node for a pool whose runners get going nowhere, though those of another pool do', () => {
    expect(avoided({ failures: failed('n1', 9, 'wrong-image') })).toEqual([])
  })

  it('is over some time after the last failure', () => {
    expect(avoided({}, now + 9 * minuteMs - 1)).toEqual(['n1'])
    expect(avoided({}, now + 9 * minuteMs)).toEqual([])
  })

  it('is over once a runner that was made there since got going', () => {
    expect(avoided({ successes: [...elsewhere, { node: 'n1', pool, madeAt: now - 1 }] })).toEqual([])
  })

  it('is not over because of a runner there that was made before', () => {
    expect(avoided({ successes: [...elsewhere, { node: 'n1', pool, madeAt: now - 5 * minuteMs }] })).toEqual([
      'n1',
    ])
  })

  it.each([
    [1, 0],
    [2, 0],
    [3, 1],
    [4, 1],
    [5, 2],
    [10, 4],
  ])('of %i ready nodes avoids at most %i, the worst first', (count, most) => {
    const nodes = Array.from({ length: count }, (_, index) => `n${index}`)
    const failures = nodes.slice(1).flatMap((node, index) => failed(node, 3 + index))
    const successes = [{ node: 'n0', pool, madeAt: now - minuteMs }]
    const expected = nodes.slice(1).reverse().slice(0, most)
    expect(avoided({ failures, successes, readyNodes: nodes })).toEqual(expected)
  })

  it('neither avoids nor counts nodes that take no runners anyway', () => {
    expect(avoided({ failures: failed('gone', 9) })).toEqual([])
  })

  it('never avoids half of the ready nodes, whatever happened', () => {
    const node = fc.constantFrom(...Array.from({ length: 7 }, (_, index) => `n${index}`))
    const anyPool = fc.constantFrom('linux', 'gpu')
    const when = fc.integer({ min: now - 2 * quarantineWindowMs, max: now })
    const anyStarts = fc.record({
      failures: fc.array(fc.record({ node, pool: anyPool, at: when }), { maxLength: 60 }),
      successes: fc.array(fc.record({ node, pool: anyPool, madeAt: when }), { maxLength: 20 }),
      readyNodes: fc.uniqueArray(node),
    })
    fc.assert(
      fc.property(anyStarts, (any) => {
        const out = quarantine(any, now)
        expect(out.length === 0 || out.length < any.readyNodes.length / 2).toBe(true)
        for (const one of out) expect(any.readyNodes).toContain(one.node)
      }),
      { numRuns: 2000 },
    )
  })
})
