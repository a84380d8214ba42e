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

/** The budget of one forge; by itself it is the budget of a forge that counts all calls together. */
export interface SharedBudget extends AccountBudget {
  /** The budget of an account that the forge counts separately, such as an installation of an App. */
  of(account: string): Budget
  /** Admits a mint before a job is claimed for it. */
  readonly mints: MintGate
}

/** Creates the budgets of a forge's accounts; loops and people are shown the tightest of them. */
export function createSharedBudget(deps: BudgetDeps): SharedBudget {
  const { installation, metrics } = deps
  const accounts = new Map<string, AccountBudget>()
  const listeners = new Set<() => void>()
  const open = (name: string): AccountBudget => {
    const budget = createAccountBudget({ ...deps, account: name })
    accounts.set(name, budget)
    budget.onChange(() => {
      for (const notify of listeners) notify()
    })
    return budget
  }
  const whole = open(installation)

  function state(): BudgetState {
    return [...accounts.values()].map((budget) => budget.state()).reduce(tighter)
  }

  function pointWaitMs(): number {
    return Math.max(...[...accounts.values()].map((budget) => budget.pointWaitMs()))
  }

  function show(): void {
    metrics.set('holdfast_forge_turn_wait_seconds', {}, pointWaitMs() / 1000)
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
    pointWaitMs,
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
            deps.log.warn(
              { account, err: error },
              'the rest of a limit was not shared with the other processes',
            ),
        )
      } finally {
        show()
      }
    },
    onChange(notify) {
      listeners.add(notify)
      return () => listeners.delete(notify)
    },
  }
}

/** The state that keeps resyncs waiting longer; at the same pace, the one with the smaller share left. */
function tighter(one: BudgetState, other: BudgetState): BudgetState {
  const byPace = paces.indexOf(one.pace) - paces.indexOf(other.pace)
  const bySweeps = (one.resyncsFrom ?? 0) - (other.resyncsFrom ?? 0)
  const isOne = byPace || bySweeps || shareLeft(other) - shareLeft(one)
  return isOne >= 0 ? one : other
}

/** The share of the limit that is left; an unknown limit counts as more than any known one. */
function shareLeft({ left, limit }: BudgetState): number {
  return left === null || limit === null ? 2 : left / limit
}
