import { describe, expect, it } from 'vitest'
import { eachApart } from './index.ts'

const unexpected = () => expect.unreachable()

describe('eachApart', () => {
  it('works on all items although some fail, reports each failure, and throws the first', async () => {
    const [worked, reported]: [number[], number[]] = [[], []]
    const work = async (item: number) => {
      if (item % 2 === 0) throw new Error(`item ${item}`)
      worked.push(item)
    }
    await expect(eachApart([1, 2, 3, 4, 5], work, (item) => reported.push(item))).rejects.toThrow('item 2')
    expect(worked).toEqual([1, 3, 5])
    expect(reported).toEqual([2, 4])
  })

  it('throws no error where no item fails', async () => {
    await eachApart([1, 2], async () => undefined, unexpected)
  })

  it('ends at the first failure once the signal is aborted', async () => {
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
