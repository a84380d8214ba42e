export type { BudgetState } from './account-budget.ts'
export { budgetLoop } from './loop.ts'
export type { MintGate } from './mint-gate.ts'

export { createSharedBudget, type SharedBudget } from './shared-budget.ts'
