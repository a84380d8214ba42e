import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aPool } from '../../../test/support/rows.ts'
import { bootingRoom, countPlaces, shareOut, startPauseMs } from './index.ts'

const node = { name: 'a', isReady: true, isCordoned: false, pressures: [] }

describe('places', () => {
  it('are nodes on which something can start', () => {
    const nodes = [
      node,
      { ...node, name: 'b' },
      { ...node, name: 'not-ready', isReady: false },
      { ...node, name: 'cordoned', isCordoned: true },
      { ...node, name: 'full', pressures: ['DiskPressure'] },
      { ...node, name: 'avoided' },
    ]
    expect(countPlaces(nodes, ['avoided'])).toBe(2)
  })

  it('are one where there is no node, so that an autoscaler sees that one is wanted', () => {
    expect(countPlaces([], [])).toBe(1)
    expect(countPlaces([{ ...node, isReady: false }], [])).toBe(1)
  })

  it('bound how many boot at a time', () => {
    const { provisioning } = aPool()
    const pool = { provisioning: { ...provisioning, maxStartingPerNode: 3 } }
    expect(bootingRoom(pool, 2, 0)).toBe(6)
    expect(bootingRoom(pool, 2, 5)).toBe(1)
    expect(bootingRoom(pool, 2, 9)).toBe(0)
  })
})

describe('shareOut', () => {
  it('serves small demands in full', () => {
    expect(shareOut([1000, 3], 200)).toEqual([197, 3])
    expect(shareOut([1000, 1000], 200)).toEqual([100, 100])
  })

  it('gives no pool more than its demand, no more than the total, and leaves nothing unused while demand is left', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 8 }), fc.nat(100), (wants, total) => {
        const given = shareOut(wants, total)
        const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0)
        given.forEach((count, index) => {
          expect(count).toBeLessThanOrEqual(wants[index] as number)
        })
        expect(sum(given)).toBe(Math.min(total, sum(wants)))
      }),
    )
  })
})

describe('startPauseMs', () => {
  it('grows up to a bound, and is spread', () => {
    expect([1, 2, 3, 20].map((failures) => startPauseMs(failures, 0))).toEqual([500, 1_000, 2_000, 30_000])
    expect(startPauseMs(20, 0.99)).toBeLessThan(60_000)
  })
})
