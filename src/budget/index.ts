export type { BudgetState } from './account-budget.ts'
export { budgetLoop } from './loop.ts'
export { type Pace, paces } from './rules.ts'
export { type BudgetDeps, createSharedBudget, type SharedBudget } from './shared-budget.ts'
