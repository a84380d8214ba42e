export { createMemoryLedger, type MemoryLedger, type MemoryLedgerOptions } from './memory-ledger.ts'
export type { RowName, State } from './state.ts'
export { allAttempts, allDecisions, allJobs, allRunners, allTimeline } from './whole.ts'
