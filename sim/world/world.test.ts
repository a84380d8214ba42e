import { describe, expect, it } from 'vitest'
import { foreignMutants } from './foreign/mutants.ts'
import { mutants, runHistory } from './index.ts'
import { originMutants } from './origin-mutants.ts'

describe('a simulated history', () => {
  it('is the same for the same seed', async () => {
    const [first, second] = [await runHistory({ seed: 10_000 }), await runHistory({ seed: 10_000 })]
    expect(first.history).toBe(second.history)
    expect(first.events).toBe(second.events)
  })
  it('is another for another seed', async () => {
    const [first, second] = [await runHistory({ seed: 10_000 }), await runHistory({ seed: 10_001 })]
    expect(first.history).not.toBe(second.history)
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
  it.each(originMutants.slice(0, 2))(
    'is found out where forks and public repositories are: $name',
    async ({ mutate, breaks }) => {
      const { violation } = await runHistory({ seed: 2, mutate })
      expect(breaks).toContain(violation?.invariant)
      expect((await runHistory({ seed: 2 })).violation).toBeNull()
    },
  )
  it.each([
    [foreignMutants[0], 17],
    [foreignMutants[1], 13],
  ])('is found out next to a fleet of ARC: $name', async (mutant, seed) => {
    const { violation } = await runHistory({ seed, ...(mutant && { mutate: mutant.mutate }) })
    expect(mutant?.breaks).toContain(violation?.invariant)
    const right = await runHistory({ seed })
    expect([right.violation, right.rules['foreign-runner-reaped']]).toEqual([null, expect.any(Number)])
  })
})
