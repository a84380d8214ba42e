import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ClassifiedEnd, commonCauses, type RunnerFactors } from './common-cause.ts'
import { binomialTail, tailChance } from './tail-chance.ts'

const hourMs = 3_600_000
const at = 1_700_000_000_000
const place = (over: Partial<RunnerFactors> = {}): RunnerFactors => ({
  node: 'node-1',
  image: 'runner:1',
  repository: 'acme/web',
  pool: 'linux',
  ...over,
})
const death = (over: Partial<ClassifiedEnd> = {}): ClassifiedEnd => ({
  ...place(),
  class: 'never-started',
  at,
  ...over,
})
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))
/** Ten nodes with as many runners each, which are well. */
const fleet = times(200, (index) => place({ node: `node-${index % 10}` }))

describe('the common cause of deaths', () => {
  it('is the node on which most of them were', () => {
    const ends = [
      ...times(9, (index) => death({ node: 'm789d', at: at + index * 45_000 })),
      ...times(2, (index) => death({ node: `node-${index}`, at: at + index * 60_000 })),
    ]
    const [first] = commonCauses(ends, fleet, hourMs)
    expect(first).toMatchObject({ factor: 'node', value: 'm789d', count: 9, of: 11 })
    expect(first?.words).toMatch(/^9 of 11 `never-started` on node m789d in 6 min; 4 % of all runners/)
  })

  it.each(['image', 'repository', 'pool'] as const)('is the %s, where most of them share it', (factor) => {
    const ends = times(8, (index) => death({ node: `node-${index}`, [factor]: 'other' }))
    const [found] = commonCauses(ends, fleet, hourMs)
    expect(found).toMatchObject({ factor, value: 'other', count: 8 })
    expect(found?.words).toMatch(/^8 of 8 `never-started` of \w+ other in 1 s; 4 % of all runners .* of it$/)
  })

  it('is one time, though nothing else', () => {
    const ends = [
      ...times(12, (index) => death({ node: `node-${index % 10}`, at: at + 5 * hourMs + index * 20_000 })),
      ...times(30, (index) =>
        death({ class: 'clean', node: `node-${index % 10}`, at: at + index * 0.7 * hourMs }),
      ),
    ]
    const found = commonCauses(ends, fleet, 24 * hourMs)
    expect(found).toMatchObject([{ factor: 'time', count: 12, of: 12 }])
    expect(found[0]?.words).toContain('12 of 12 `never-started` since 2023-')
  })

  it('is not the time, where nothing says that runners ended at other times at all', () => {
    const ends = times(10, (index) => death({ node: `node-${index}`, at: at + index * 300_000 }))
    expect(commonCauses(ends, fleet, 24 * hourMs)).toEqual([])
  })

  it('is not the time of a few, nor that at which one repository began many jobs', () => {
    const others = times(40, (index) =>
      death({ class: 'clean', repository: `acme/${index % 9}`, at: at + index * 0.5 * hourMs }),
    )
    const burst = (count: number, repository: (index: number) => string) =>
      times(count, (index) => death({ node: `node-${index}`, repository: repository(index), at: at + index }))
    const factors = (ends: readonly ClassifiedEnd[]) =>
      commonCauses([...ends, ...others], fleet, 24 * hourMs).map(({ factor }) => factor)
    expect(factors(burst(4, (index) => `acme/${index}`))).not.toContain('time')
    expect(factors(burst(9, () => 'acme/one'))).not.toContain('time')
    expect(factors(burst(9, (index) => `acme/${index}`))).toContain('time')
  })

  it('is not a node that has nearly all runners anyway', () => {
    const ends = times(20, (index) =>
      death({ node: index === 0 ? 'node-2' : 'node-1', at: at + index * 170_000 }),
    )
    const runners = times(200, (index) => place({ node: index < 10 ? 'node-2' : 'node-1' }))
    expect(commonCauses(ends, runners, hourMs)).toEqual([])
  })

  it('is nothing where there are only two, or where every runner that is known died', () => {
    expect(commonCauses([death({ node: 'm789d' }), death({ node: 'm789d' })], fleet, hourMs)).toEqual([])
    expect(
      commonCauses(
        times(5, () => death()),
        [],
        hourMs,
      ),
    ).toEqual([])
  })

  it('is not looked for in ends that need no explanation', () => {
    const ends = times(20, (index) =>
      death({ node: 'm789d', class: index % 2 === 0 ? 'clean' : 'terminated' }),
    )
    expect(commonCauses(ends, fleet, hourMs)).toEqual([])
  })

  it('is not found in deaths that strike blindly, but for one look in a hundred', () => {
    let alarms = 0
    const looks = 300
    const random = fc.sample(fc.array(fc.nat(9), { minLength: 12, maxLength: 12 }), {
      numRuns: looks,
      seed: 7,
    })
    for (const nodes of random) {
      const ends = nodes.map((node, index) => death({ node: `node-${node}`, at: at + index * 100_000 }))
      if (commonCauses(ends, fleet, 24 * hourMs).some(({ factor }) => factor === 'node')) alarms += 1
    }
    expect(alarms).toBeLessThanOrEqual(looks / 100)
  })

  it('is not found by looking at many places until three deaths fall on one of them', () => {
    const looks = 300
    let alarms = 0
    const random = fc.sample(fc.array(fc.nat(19), { minLength: 3, maxLength: 3 }), {
      numRuns: looks,
      seed: 7,
    })
    const runners = times(200, (index) => place({ repository: `acme/${index % 20}` }))
    for (const on of [...random, [4, 4, 4]]) {
      const ends = on.map((each, index) => death({ repository: `acme/${each}`, at: at + index * 900_000 }))
      if (commonCauses(ends, runners, hourMs).length > 0) alarms += 1
    }
    expect(alarms).toBe(0)
  })

  it('never has more deaths than there were', () => {
    const names = fc.constantFrom('a', 'b', 'c', null)
    const anyEnd = fc.record({
      node: names,
      image: names,
      repository: names,
      pool: names,
      class: fc.constantFrom('clean', 'failed', 'crash', 'evicted' as const),
      at: fc.integer({ min: at, max: at + 24 * hourMs }),
    })
    fc.assert(
      fc.property(
        fc.array(anyEnd, { maxLength: 60 }),
        fc.array(anyEnd, { maxLength: 60 }),
        (ends, runners) => {
          for (const found of commonCauses(ends, runners, 24 * hourMs)) {
            const same = ends.filter((end) => end.class === found.class)
            const { factor } = found
            expect(found.class).not.toBe('clean')
            expect(found.count).toBeLessThanOrEqual(found.of)
            expect(found.of).toBeLessThanOrEqual(same.length)
            expect(found.from).toBeLessThanOrEqual(found.to)
            expect(found.chance).toBeLessThanOrEqual(0.005)
            if (factor !== 'time') {
              expect(same.filter((end) => end[factor] === found.value).length).toBe(found.count)
              expect(found.count / found.of).toBeGreaterThan(found.usualShare)
            }
          }
        },
      ),
    )
  })
})

describe('the chance of a coincidence', () => {
  const small = fc.nat(12)

  it('is that of counting all draws', () => {
    fc.assert(
      fc.property(small, small, small, (all, marked, drawn) => {
        fc.pre(marked <= all && drawn <= all)
        for (let hits = 0; hits <= drawn; hits += 1) {
          expect(tailChance(hits, drawn, marked, all)).toBeCloseTo(counted(hits, drawn, marked, all), 9)
        }
      }),
    )
  })

  it('is a chance, falls with more hits, and stays one for large fleets', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(200),
        (all, share, n) => {
          const [marked, drawn] = [Math.floor(all * share), Math.min(n, all)]
          let before = 1
          for (let hits = 0; hits <= drawn; hits += 7) {
            const chance = tailChance(hits, drawn, marked, all)
            expect(chance).toBeGreaterThanOrEqual(0)
            expect(chance).toBeLessThanOrEqual(before + 1e-6)
            before = chance
            expect(binomialTail(hits, drawn, share)).toBeLessThanOrEqual(1)
          }
        },
      ),
      { numRuns: 50 },
    )
  })

  it('is that of tossing coins', () => {
    expect(binomialTail(3, 3, 0.5)).toBeCloseTo(1 / 8, 12)
    expect(binomialTail(1, 2, 0.5)).toBeCloseTo(3 / 4, 12)
    expect(binomialTail(0, 5, 0)).toBe(1)
  })
})

/** By going through every draw. */
function counted(hits: number, drawn: number, marked: number, all: number): number {
  let [good, every] = [0, 0]
  for (let set = 0; set < 2 ** all; set += 1) {
    let [size, inside] = [0, 0]
    for (let each = 0; each < all; each += 1) {
      if ((set >> each) % 2 === 1) {
        size += 1
        if (each < marked) inside += 1
      }
    }
    if (size !== drawn) continue
    every += 1
    if (inside >= hits) good += 1
  }
  return good / every
}
