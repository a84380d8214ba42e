import { describe, expect, it } from 'vitest'
import { mutants, runHistory } from './index.ts'

describe('a simulated history', () => {
  it('is the same for the same seed', async () => {
    const [first, second] = [await runHistory({ seed: 8 }), await runHistory({ seed: 8 })]
    expect(first.history).toBe(second.history)
    expect(first.events).toBe(second.events)
  })
  it('is another for another seed', async () => {
    expect((await runHistory({ seed: 8 })).history).not.toBe((await runHistory({ seed: 9 })).history)
  })
  it.each(Array.from({ length: 40 }, (_, n) => 10_000 + n))(
    'holds every invariant with seed %i',
    async (seed) => {
      const { violation } = await runHistory({ seed })
      expect(violation).toBeNull()
    },
  )
})

describe('a broken variant', () => {
  it.each(mutants.slice(0, 2))('is found out: $name', async ({ mutate, breaks }) => {
    const { violation } = await runHistory({ seed: 1, mutate })
    expect(breaks).toContain(violation?.invariant)
  })
  it('is found out on a cluster: a pod is released before its end is sealed', async () => {
    const early = mutants.find(({ name }) => name === 'a pod is released before its end is sealed')
    const { violation } = await runHistory({ seed: 2, ...(early && { mutate: early.mutate }) })
    expect(violation?.invariant).toBe('I5')
  })
})
