export { createMemoryLedger, type MemoryLedger } from './memory-ledger.ts'
export type { RowName, State } from './state.ts'
export { allAttempts, allDecisions, allJobs, allRunners, allTimeline } from './whole.ts'
