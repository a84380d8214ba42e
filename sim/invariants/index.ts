export { createMoves } from './moves.ts'
export { checkExecutors, checkRows } from './rows.ts'
export type { Violation } from './violation.ts'
