export { budgetLoop } from './loop.ts'
export { type Pace, paces } from './rules.ts'
export { type BudgetDeps, type BudgetState, createSharedBudget, type SharedBudget } from './shared-budget.ts'
