import { describe, expect, it } from 'vitest'
import { type ClassifiedEnd, type CommonCause, commonCauses, type RunnerFactors } from './common-cause.ts'
import { causeKey, causeKeysOf, distinctCauses, isOfCause } from './distinct-causes.ts'

const at = 1_700_000_000_000
const hourMs = 3_600_000
const place: RunnerFactors = { node: 'node-1', image: 'runner:1', repository: 'acme/web', pool: 'linux' }
const death = (over: Partial<ClassifiedEnd> = {}): ClassifiedEnd => ({
  ...place,
  class: 'never-started',
  at,
  ...over,
})
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const fleet = times(200, (index) => ({ ...place, node: `node-${index % 10}`, pool: `pool-${index % 4}` }))
const keys = (causes: readonly CommonCause[]) => causes.map(causeKey)

describe('the key of a cause', () => {
  it('is the same while its count and its time grow', () => {
    expect(causeKey({ class: 'crash', factor: 'node', value: 'm789d' })).toBe('crash on node m789d')
    const [a, b] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:09:00.000Z']
    expect(causeKey({ class: 'crash', factor: 'time', value: a })).toBe('crash in a short time')
    expect(causeKey({ class: 'crash', factor: 'time', value: b })).toBe('crash in a short time')
  })

  it('is bounded, however long the name of an image is', () => {
    expect(causeKey({ class: 'crash', factor: 'image', value: 'x'.repeat(9_000) })).toHaveLength(500)
  })

  it('is found from an end by every place that is known of it, and by no other', () => {
    expect(causeKeysOf(death({ image: null }))).toEqual([
      'never-started on node node-1',
      'never-started of repository acme/web',
      'never-started of pool linux',
    ])
  })
})

describe('the choice among several causes of the same ends', () => {
  /** All on one node, which is also the only one of its pool. */
  const ends = times(9, (index) => death({ node: 'm1', pool: 'gpu', at: at + index * 20_000 }))
  const found = commonCauses(ends, fleet, hourMs)

  it('keeps one', () => {
    expect(keys(found).length).toBeGreaterThan(1)
    expect(distinctCauses(found, ends, new Set())).toHaveLength(1)
  })

  it('prefers a place to a time, however unlikely the time is', () => {
    const withTime = found.map((cause) => (cause.factor === 'time' ? { ...cause, chance: 0 } : cause))
    expect(withTime.some(({ factor }) => factor === 'time')).toBe(true)
    expect(distinctCauses(withTime, ends, new Set())[0]?.factor).not.toBe('time')
  })

  it('keeps the one that is reported already', () => {
    for (const reported of keys(found)) {
      expect(keys(distinctCauses(found, ends, new Set([reported])))).toEqual([reported])
    }
  })
})

describe('two causes for different ends', () => {
  const elsewhere = (index: number) => ({ repository: `acme/${index % 7}`, pool: `pool-${index % 4}` })

  it('are both kept', () => {
    const ends = [
      ...times(9, (index) => death({ node: 'm1', ...elsewhere(index), at: at + index * 300_000 })),
      ...times(9, (index) =>
        death({ class: 'crash', ...elsewhere(index), node: `node-${index}`, repository: 'acme/bad' }),
      ),
    ]
    const runners = fleet.map((each, index) => ({ ...each, repository: `acme/${index % 7}` }))
    const kept = keys(distinctCauses(commonCauses(ends, runners, hourMs), ends, new Set()))
    expect(kept).toContain('never-started on node m1')
    expect(kept).toContain('crash of repository acme/bad')
  })
})

describe('an end', () => {
  const cause = { class: 'crash', value: 'm1', from: at, to: at + 10 } as CommonCause
  it.each([
    ['on the node', true, 'node', death({ class: 'crash', node: 'm1' })],
    ['of another class', false, 'node', death({ node: 'm1' })],
    ['of another node', false, 'node', death({ class: 'crash', node: 'm2' })],
    ['within the time', true, 'time', death({ class: 'crash', at: at + 10 })],
    ['after the time', false, 'time', death({ class: 'crash', at: at + 11 })],
  ] as const)('%s is counted: %s', (_, expected, factor, end) => {
    expect(isOfCause({ ...cause, factor }, end)).toBe(expected)
  })
})
