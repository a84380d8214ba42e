import type { BudgetReading } from '../budget.ts'

/** The remainder of the forge's rate limits, by account. */
export interface BudgetLedger {
  /** Stores what the forge reported for an account with its own limit: of one window the least, else the newer window. */
  noteBudget(account: string, reading: BudgetReading): Promise<BudgetReading>
  budget(account: string): Promise<BudgetReading | null>
}
