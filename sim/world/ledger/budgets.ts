import type { BudgetReading } from '../../../src/ports/budget.ts'
import type { Tx } from './transaction.ts'

/** Forges report the end of one window in whole seconds, and not always the same. */
const sameWindowMs = 5_000

/** Of one window the least counts, because answers overtake each other; else the newer window. */
export function noteBudget(tx: Tx, account: string, reading: BudgetReading): BudgetReading {
  const { budgets } = tx.state
  const known = budgets.get(account)
  if (known !== undefined && !supersedes(reading, known)) return known
  budgets.set(account, reading)
  return reading
}

function supersedes(reading: BudgetReading, known: BudgetReading): boolean {
  const laterMs = reading.resetAt - known.resetAt
  return laterMs > sameWindowMs || (laterMs >= -sameWindowMs && reading.remaining < known.remaining)
}
