export { auditRaise, raiseAudits } from './audit-raise.ts'
export { raiseBlockers } from './blockers.ts'
export type { RaiseJudgement } from './judge-raise.ts'
