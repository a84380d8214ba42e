import { eachApart } from '../loop/index.ts'
import type { Budget } from '../ports/budget.ts'
import type { Metrics } from '../ports/metrics.ts'
import {
  type AccountBudget,
  type AccountBudgetDeps,
  type BudgetState,
  createAccountBudget,
} from './account-budget.ts'
import { createMintGate, type MintGate } from './mint-gate.ts'
import { paces } from './rules.ts'

export interface BudgetDeps extends Omit<AccountBudgetDeps, 'account'> {
  readonly installation: string
  readonly metrics: Metrics
}

/** All calls to one forge. What it is itself is the budget of a forge that counts all calls together. */
export interface SharedBudget extends AccountBudget {
  /** Of an account that the forge counts apart, such as each installation of an App. */
  of(account: string): Budget
  /** Who mints goes through here before a job is claimed. */
  readonly mints: MintGate
}

/** The budgets of a forge's accounts; for loops and for people the tightest of them speaks. */
export function createSharedBudget(deps: BudgetDeps): SharedBudget {
  const { installation, metrics } = deps
  const accounts = new Map<string, AccountBudget>()
  const listeners = new Set<() => void>()
  const open = (name: string): AccountBudget => {
    const budget = createAccountBudget({ ...deps, account: name })
    accounts.set(name, budget)
    budget.onChange(() => {
      for (const ring of listeners) ring()
    })
    return budget
  }
  const whole = open(installation)

  function state(): BudgetState {
    return [...accounts.values()].map((budget) => budget.state()).reduce(tighter)
  }

  function turnInMs(): number {
    return Math.max(...[...accounts.values()].map((budget) => budget.turnInMs()))
  }

  function show(): void {
    metrics.set('holdfast_forge_turn_wait_seconds', {}, turnInMs() / 1000)
    const { limit, left, pace } = state()
    if (limit !== null && left !== null) {
      metrics.set('holdfast_forge_budget_limit', {}, limit)
      metrics.set('holdfast_forge_budget_remaining', {}, left)
    }
    for (const each of paces) {
      metrics.set('holdfast_forge_budget_pace', { pace: each }, each === pace ? 1 : 0)
    }
  }

  show()
  return {
    admit: whole.admit,
    ...(whole.enter !== undefined && { enter: whole.enter }),
    ...(whole.place !== undefined && { place: whole.place }),
    turnInMs,
    mints: createMintGate(deps.pointsPerMinute ?? null),
    note: whole.note,
    pause: whole.pause,
    of: (account) => accounts.get(`${installation} ${account}`) ?? open(`${installation} ${account}`),
    state,
    async exchange() {
      try {
        await eachApart(
          accounts,
          ([, budget]) => budget.exchange(),
          ([account], error) =>
            deps.log.warn({ account, err: error }, 'what is left of a limit was not told'),
        )
      } finally {
        show()
      }
    },
    onChange(ring) {
      listeners.add(ring)
      return () => listeners.delete(ring)
    },
  }
}

/** The one that keeps sweeps waiting longer; of two at the same pace the one with the smaller share left. */
function tighter(one: BudgetState, other: BudgetState): BudgetState {
  const byPace = paces.indexOf(one.pace) - paces.indexOf(other.pace)
  const bySweeps = (one.sweepsFrom ?? 0) - (other.sweepsFrom ?? 0)
  const isOne = byPace || bySweeps || shareLeft(other) - shareLeft(one)
  return isOne >= 0 ? one : other
}

/** Of what nothing is known, all is left, and a little more: whatever is known says more. */
function shareLeft({ left, limit }: BudgetState): number {
  return left === null || limit === null ? 2 : left / limit
}
