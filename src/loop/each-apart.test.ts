import { describe, expect, it } from 'vitest'
import { eachApart } from './index.ts'

const unexpected = () => expect.unreachable()

describe('work on each, apart', () => {
  it('is done on all although some fail, tells of each that does, and throws the first', async () => {
    const [worked, told]: [number[], number[]] = [[], []]
    const work = async (item: number) => {
      if (item % 2 === 0) throw new Error(`item ${item}`)
      worked.push(item)
    }
    await expect(eachApart([1, 2, 3, 4, 5], work, (item) => told.push(item))).rejects.toThrow('item 2')
    expect(worked).toEqual([1, 3, 5])
    expect(told).toEqual([2, 4])
  })

  it('throws nothing where none fails', async () => {
    await eachApart([1, 2], async () => undefined, unexpected)
  })

  it('ends at once where everything ends', async () => {
    const ending = new AbortController()
    const worked: number[] = []
    const work = async (item: number) => {
      worked.push(item)
      ending.abort()
      ending.signal.throwIfAborted()
    }
    const all = eachApart([1, 2], work, unexpected, ending.signal)
    await expect(all).rejects.toMatchObject({ name: 'AbortError' })
    expect(worked).toEqual([1])
  })
})
