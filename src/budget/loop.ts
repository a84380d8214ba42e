import { done, type Loop } from '../loop/index.ts'
import type { SharedBudget } from './shared-budget.ts'

/** How often processes exchange their readings; a change of pace is exchanged at once. */
const resyncMs = 5_000

export function budgetLoop(budget: Pick<SharedBudget, 'exchange' | 'onChange'>): Loop {
  return {
    name: 'budget',
    resyncMs,
    wokenBy: () => false,
    subscribe: (notify) => budget.onChange(notify),
    async pass() {
      await budget.exchange()
      return done
    },
  }
}
