import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createControlBench } from '../../test/support/control-bench.ts'
import { type Purpose, purposes } from '../ports/budget.ts'
import { createSharedBudget } from './index.ts'

/** A caller wants to call; or an answer under way arrives, the oldest or another. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('call' as const), purpose: fc.constantFrom(...purposes) }),
  fc.record({ kind: fc.constant('answer' as const), which: fc.nat(20) }),
)

/** A forge that counts correctly, and whose answers overtake each other. */
async function spend(
  limit: number,
  steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
) {
  const bench = await createControlBench()
  const budget = createSharedBudget({ ...bench, installation: 'sim' })
  const resetAt = bench.clock.now() + 60 * 60_000
  budget.note({ limit, remaining: limit, resetAt })
  const spent: Record<Purpose, number> = { resync: 0, dispatch: 0, recovery: 0 }
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

describe('the budget, for any callers and any order of answers', () => {
  it('is never overspent, and dispatch never spends the reserve of recovery', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 40, max: 200 }),
        fc.array(step, { maxLength: 400 }),
        async (limit, steps) => {
          const { spent, used } = await spend(limit, steps)
          expect(used).toBeLessThanOrEqual(limit)
          expect(spent.dispatch + spent.resync).toBeLessThanOrEqual(limit - 20)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('leaves recovery its reserve, however much resyncs and dispatch ask for', async () => {
    const greedy = fc.array(
      step.map((each) =>
        each.kind === 'call' && each.purpose === 'recovery' ? { ...each, purpose: 'resync' as const } : each,
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
