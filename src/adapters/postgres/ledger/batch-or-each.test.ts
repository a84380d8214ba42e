import { describe, expect, it } from 'vitest'
import { HoldfastError } from '../../../domain/errors/index.ts'
import { batchOrEach } from './batch-or-each.ts'

const away = new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'a test', outcomeUnknown: false })

/** Which calls were made, and what came of each item. */
async function run(items: readonly number[], batch: (items: readonly number[]) => Map<number, string>) {
  const calls: (readonly number[])[] = []
  const outcomes = batchOrEach(items, {
    async batch(some) {
      calls.push(some)
      return batch(some)
    },
    async one(item) {
      calls.push([item])
      if (item === 13) throw new Error('a bad item')
      return `alone ${item}`
    },
  })
  const given: unknown[] = []
  for await (const outcome of outcomes) given.push('error' in outcome ? outcome.error : outcome.result)
  return { calls, given }
}

describe('a batch of items', () => {
  it('is run once where it goes well, and an item without a result alone', async () => {
    const { calls, given } = await run(
      [1, 2, 3],
      () => new Map([1, 3].map((item) => [item, `batch ${item}`])),
    )
    expect(calls).toEqual([[1, 2, 3], [2]])
    expect(given).toEqual(['batch 1', 'alone 2', 'batch 3'])
  })

  it('is run item by item where it fails: a bad one takes no other with it', async () => {
    const { calls, given } = await run([1, 13, 3], () => {
      throw new Error('a bad item')
    })
    expect(calls).toEqual([[1, 13, 3], [1], [13], [3]])
    expect(given).toEqual(['alone 1', expect.any(Error), 'alone 3'])
  })

  it('is not tried item by item where the ledger itself is away', async () => {
    const { calls, given } = await run([1, 2], () => {
      throw away
    })
    expect(calls).toEqual([[1, 2]])
    expect(given).toEqual([away, away])
  })

  it('is no batch where there is one item', async () => {
    expect(await run([1], () => expect.unreachable())).toEqual({ calls: [[1]], given: ['alone 1'] })
  })
})
