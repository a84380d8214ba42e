import { done, type Loop } from '../loop/index.ts'
import type { SharedBudget } from './shared-budget.ts'

/** How often processes tell each other what is left; a change of pace is told at once. */
const sweepMs = 5_000

export function budgetLoop(budget: Pick<SharedBudget, 'exchange' | 'onChange'>): Loop {
  return {
    name: 'budget',
    sweepMs,
    wokenBy: () => false,
    listen: (ring) => budget.onChange(ring),
    async pass() {
      await budget.exchange()
      return done
    },
  }
}
