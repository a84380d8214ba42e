import { describe, expect, it } from 'vitest'
import { createBatcher } from './batcher.ts'

/** Batches that end when the test says so. */
function bench(how: { max: number }) {
  const running: { items: readonly number[]; end: (error?: Error) => void }[] = []
  const add = createBatcher<number, string>({
    ...how,
    conflict: (a, b) => a === b,
    run: (key, items) =>
      new Promise((resolve, reject) => {
        const results = items.map((item) => `${key}${item}`)
        running.push({ items, end: (error) => (error === undefined ? resolve(results) : reject(error)) })
      }),
  })
  return { add, running, items: () => running.map(({ items }) => items) }
}

describe('a batcher', () => {
  it('runs the first at once, and those that come meanwhile together', async () => {
    const { add, running, items } = bench({ max: 10 })
    const results = [1, 2, 3].map((item) => add('p', item))
    expect(items()).toEqual([[1]])
    running[0]?.end()
    expect(await results[0]).toBe('p1')
    await expect.poll(items).toEqual([[1], [2, 3]])
    running[1]?.end()
    expect(await Promise.all(results)).toEqual(['p1', 'p2', 'p3'])
  })

  it('puts no more than the limit into a batch', async () => {
    const { add, running, items } = bench({ max: 2 })
    for (const item of [1, 2, 3, 4]) void add('p', item)
    running[0]?.end()
    await expect.poll(items).toEqual([[1], [2, 3]])
  })

  it('puts requests that arrive during a batch into the next one', async () => {
    const { add, running, items } = bench({ max: 10 })
    const again = (item: number) => add('p', item).then(() => add('p', item))
    for (const item of [1, 2, 3]) void again(item)
    running[0]?.end()
    await expect.poll(items).toEqual([[1], [2, 3, 1]])
  })

  it('does not put two into one batch that are in conflict', async () => {
    const { add, running, items } = bench({ max: 10 })
    for (const item of [1, 2, 2, 3]) void add('p', item)
    running[0]?.end()
    await expect.poll(items).toEqual([[1], [2, 3]])
    running[1]?.end()
    await expect.poll(items).toEqual([[1], [2, 3], [2]])
  })

  it('keeps keys apart', () => {
    const { add, items } = bench({ max: 10 })
    void add('p', 1)
    void add('q', 2)
    expect(items()).toEqual([[1], [2]])
  })

  it('gives an error to all of its batch, and goes on with the next', async () => {
    const { add, running, items } = bench({ max: 10 })
    const [first, second, third] = [add('p', 1), add('p', 2), add('p', 3)]
    running[0]?.end(new Error('lost'))
    await expect(first).rejects.toThrow('lost')
    await expect.poll(items).toEqual([[1], [2, 3]])
    running[1]?.end()
    expect(await Promise.all([second, third])).toEqual(['p2', 'p3'])
  })
})
