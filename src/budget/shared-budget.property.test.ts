import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createControlBench } from '../../test/support/control-bench.ts'
import { type Purpose, purposes } from '../ports/budget.ts'
import { createSharedBudget } from './index.ts'

/** Somebody wants to call; an answer that is under way comes, the oldest or another. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('call' as const), purpose: fc.constantFrom(...purposes) }),
  fc.record({ kind: fc.constant('answer' as const), which: fc.nat(20) }),
)

/** A forge that counts, and tells the truth in answers that overtake each other. */
async function spend(
  limit: number,
  steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
) {
  const bench = await createControlBench()
  const budget = createSharedBudget({ ...bench, installation: 'sim' })
  const resetAt = bench.clock.now() + 60 * 60_000
  budget.note({ limit, remaining: limit, resetAt })
  const spent: Record<Purpose, number> = { sweep: 0, dispatch: 0, recovery: 0 }
  const underWay: number[] = []
  let used = 0
  for (const each of steps) {
    if (each.kind === 'answer') {
      const [remaining] = underWay.splice(each.which % Math.max(1, underWay.length), 1)
      if (remaining !== undefined) budget.note({ limit, remaining, resetAt })
      continue
    }
    if (budget.admit(each.purpose).kind === 'wait') continue
    used += 1
    spent[each.purpose] += 1
    underWay.push(Math.max(0, limit - used))
  }
  return { spent, used }
}

describe('the budget, whoever calls and in whatever order the answers come', () => {
  it('is never overspent, and dispatch never takes what is kept for recovery', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 40, max: 200 }),
        fc.array(step, { maxLength: 400 }),
        async (limit, steps) => {
          const { spent, used } = await spend(limit, steps)
          expect(used).toBeLessThanOrEqual(limit)
          expect(spent.dispatch + spent.sweep).toBeLessThanOrEqual(limit - 20)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('leaves recovery its part, however much sweeps and dispatch want', async () => {
    const greedy = fc.array(
      step.map((each) =>
        each.kind === 'call' && each.purpose === 'recovery' ? { ...each, purpose: 'sweep' as const } : each,
      ),
      { minLength: 300, maxLength: 400 },
    )
    await fc.assert(
      fc.asyncProperty(greedy, async (steps) => {
        const recovery = Array.from({ length: 20 }, () => ({
          kind: 'call' as const,
          purpose: 'recovery' as const,
        }))
        const { spent } = await spend(100, [...steps, ...recovery])
        expect(spent.recovery).toBe(20)
      }),
      { numRuns: 100 },
    )
  })
})
