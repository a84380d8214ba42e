import type { Cause } from '../../../ports/ledger.ts'

/** The cause of what the dispatch of a job writes. */
export const byDispatch: Cause = { source: 'dispatch' }
