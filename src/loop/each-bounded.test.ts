import { describe, expect, it } from 'vitest'
import { eachBounded } from './index.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('eachBounded', () => {
  it('works on all items, and on no more than its bound at a time', async () => {
    let active = 0
    let activeMost = 0
    const worked: number[] = []
    await eachBounded([1, 2, 3, 4, 5], 2, async (item) => {
      active += 1
      activeMost = Math.max(activeMost, active)
      await settle()
      active -= 1
      worked.push(item)
    })
    expect(worked.sort()).toEqual([1, 2, 3, 4, 5])
    expect(activeMost).toBe(2)
  })

  it('throws a failure only when the other workers are done', async () => {
    const worked: number[] = []
    const all = eachBounded([1, 2, 3, 4], 2, async (item) => {
      if (item === 1) throw new Error('broken')
      await settle()
      worked.push(item)
    })
    await expect(all).rejects.toThrow('broken')
    expect(worked).toEqual([2, 3, 4])
  })

  it('begins no item once the signal is aborted', async () => {
    const ending = new AbortController()
    const begun: number[] = []
    const work = async (item: number) => {
      begun.push(item)
      ending.abort()
    }
    await eachBounded([1, 2, 3], 1, work, ending.signal)
    expect(begun).toEqual([1])
  })
})
