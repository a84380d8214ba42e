export { createMoves } from './moves.ts'
export { checkExecutors, checkRows, type LedgerRows } from './rows.ts'
export type { Violation } from './violation.ts'
