import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PackingItem, pack } from './index.ts'
import { bruteForce, packings } from './testing.ts'

describe('packing', () => {
  it('finds as many slots as trying every placement does, on small problems', () => {
    fc.assert(
      fc.property(packings, (packing) => {
        const { required, wanted, upperBound } = pack(packing)
        expect({ required, wanted }).toEqual(bruteForce(packing))
        expect(upperBound).toBe(wanted)
      }),
      { numRuns: 400 },
    )
  })

  it('overfills no bin and no shared limit, and never states a bound below what it placed', () => {
    fc.assert(
      fc.property(packings, (packing) => {
        const { rows, upperBound, wanted } = pack(packing)
        const items = [...packing.required, ...packing.wanted]
        for (const [bin, free] of packing.bins.entries()) {
          for (const [at, amount] of free.entries())
            expect(
              sumOf(items, (item, row) => (item.size[at] ?? 0) * (rows[row]?.[bin] ?? 0)),
            ).toBeLessThanOrEqual(amount)
        }
        expect(
          sumOf(items, (item, row) => (item.shares[0] ?? 0) * (rows[row] ?? []).reduce((a, b) => a + b, 0)),
        ).toBeLessThanOrEqual(packing.shared[0] as number)
        expect(upperBound).toBeGreaterThanOrEqual(wanted)
      }),
    )
  })

  it('is exact for one lane on many nodes without a search', () => {
    const bins = Array.from({ length: 500 }, (_, bin) => [10 + (bin % 7), 40])
    const lane = { size: [3, 4], count: 10_000, bins: bins.map((_, bin) => bin), shares: [] }
    const fits = bins.reduce(
      (total, [cpu = 0, memory = 0]) => total + Math.min(Math.floor(cpu / 3), Math.floor(memory / 4)),
      0,
    )
    expect(pack({ bins, shared: [], required: [], wanted: [lane] })).toMatchObject({
      wanted: fits,
      upperBound: fits,
    })
  })

  it('puts the load of others where it leaves most for the lane', () => {
    const others = { size: [4], count: 1, bins: [0, 1], shares: [] }
    const lane = { size: [2], count: 9, bins: [0], shares: [] }
    expect(pack({ bins: [[4], [4]], shared: [], required: [others], wanted: [lane] })).toMatchObject({
      wanted: 2,
    })
  })
})

function sumOf(items: readonly PackingItem[], amount: (item: PackingItem, row: number) => number): number {
  return items.reduce((total, item, row) => total + amount(item, row), 0)
}
