import { describe, expect, it } from 'vitest'
import { mapBounded } from './map-bounded.ts'

describe('mapping a list with bounded concurrency', () => {
  it('keeps the order of the list, with four items in flight at most', async () => {
    let [inFlight, most] = [0, 0]
    const doubled = await mapBounded([1, 2, 3, 4, 5, 6, 7, 8, 9], async (item) => {
      inFlight += 1
      most = Math.max(most, inFlight)
      await Promise.resolve()
      inFlight -= 1
      return 2 * item
    })
    expect({ doubled, most }).toEqual({ doubled: [2, 4, 6, 8, 10, 12, 14, 16, 18], most: 4 })
  })

  it('fails with the first failure, and begins no item of a later group', async () => {
    const begun: number[] = []
    const work = async (item: number) => {
      begun.push(item)
      if (item === 2) throw new Error('two')
    }
    await expect(mapBounded([1, 2, 3, 4, 5], work)).rejects.toThrow('two')
    expect(begun).toEqual([1, 2, 3, 4])
  })
})
