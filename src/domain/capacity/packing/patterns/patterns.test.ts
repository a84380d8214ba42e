import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placeGreedily } from '../greedy.ts'
import { type PackingItem, pack } from '../index.ts'
import { bruteForce, packings } from '../testing.ts'
import { bestPattern } from './best-pattern.ts'
import { Effort, placeByPatterns } from './index.ts'

const ample = () => new Effort(1_000_000)

describe('patterns of bins', () => {
  it.each([
    ['with steps to spare', 1_000_000],
    ['after their steps are spent', 0],
  ])('never bound the slots below what trying every placement finds, %s', (_title, steps) => {
    fc.assert(
      fc.property(packings, (packing) => {
        const found = placeByPatterns(packing, placeGreedily(packing), new Effort(steps))
        expect(found?.upperBound).toBeGreaterThanOrEqual(bruteForce(packing).wanted)
      }),
      { numRuns: 1_000 },
    )
  })

  it('overfill no bin, no shared limit and no count', () => {
    fc.assert(
      fc.property(packings, (packing) => {
        const rows = placeByPatterns(packing, placeGreedily(packing), ample())?.rows ?? []
        const items = [...packing.required, ...packing.wanted]
        for (const [bin, free] of packing.bins.entries())
          for (const [at, amount] of free.entries())
            expect(
              sumOf(items, ({ size }, row) => (size[at] ?? 0) * (rows[row]?.[bin] ?? 0)),
            ).toBeLessThanOrEqual(amount)
        expect(sumOf(items, ({ shares }, row) => (shares[0] ?? 0) * total(rows[row]))).toBeLessThanOrEqual(
          packing.shared[0] as number,
        )
        for (const [row, { count, bins }] of items.entries()) {
          expect(total(rows[row])).toBeLessThanOrEqual(count)
          for (const [bin, placed] of (rows[row] ?? []).entries()) if (placed > 0) expect(bins).toContain(bin)
        }
      }),
    )
  })

  it('prove the most slots of a lane where others fill fifty nodes, which no order of bins finds', () => {
    const bins = Array.from({ length: 50 }, (_, bin) => [32 + (bin % 3) * 16, 64 + (bin % 2) * 64])
    const all = bins.map((_, bin) => bin)
    const lane = (size: readonly number[], count: number): PackingItem => ({
      size,
      count,
      bins: all,
      shares: [],
    })
    const packing = {
      bins,
      shared: [],
      required: [lane([1, 5], 350), lane([2, 2], 350), lane([1, 3], 350)],
      wanted: [lane([2, 4], 350)],
    }
    const greedy = placeGreedily(packing)
    const { required, wanted, upperBound } = pack(packing)
    expect({ required, upperBound }).toEqual({ required: 1_050, upperBound: wanted })
    expect(wanted).toBeGreaterThan(greedy.wanted)
  })

  it('give the same placement every time', () => {
    fc.assert(
      fc.property(packings, (packing) => {
        expect(placeByPatterns(packing, placeGreedily(packing), ample())).toEqual(
          placeByPatterns(packing, placeGreedily(packing), ample()),
        )
      }),
      { numRuns: 50 },
    )
  })
})

describe('the best pattern of one bin', () => {
  it('is worth as much as the best of all contents', () => {
    const item = fc.record({
      value: fc.integer({ min: -2, max: 9 }),
      size: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 2 }),
      max: fc.integer({ min: 0, max: 3 }),
    })
    const free = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 2, maxLength: 2 })
    fc.assert(
      fc.property(free, fc.array(item, { maxLength: 4 }), (room, items) => {
        const most = (at: number, left: readonly number[]): number => {
          const next = items[at]
          if (next === undefined) return 0
          let best = Number.NEGATIVE_INFINITY
          for (let count = 0; count <= next.max; count += 1) {
            const after = left.map((amount, r) => amount - count * (next.size[r] as number))
            if (after.every((amount) => amount >= 0))
              best = Math.max(best, count * next.value + most(at + 1, after))
          }
          return best
        }
        const { value, valueMax, counts } = bestPattern(room, items, ample())
        expect(value).toBeCloseTo(most(0, room))
        expect(valueMax).toBe(value)
        expect(value).toBeCloseTo(sumOf(items, (each, at) => each.value * (counts[at] as number)))
      }),
      { numRuns: 500 },
    )
  })
})

function total(row: readonly number[] | undefined): number {
  return (row ?? []).reduce((sum, count) => sum + count, 0)
}

function sumOf<T>(items: readonly T[], amount: (item: T, at: number) => number): number {
  return items.reduce((sum, item, at) => sum + amount(item, at), 0)
}
