import type { Cause } from '../../../ports/ledger.ts'

/** The cause of what the dispatch of a job writes. */
export const byDispatch: Cause = { source: 'dispatch' }

/** Whether what two write may stand in one plan. */
export function isSameCause(a: Cause, b: Cause): boolean {
  return a.source === b.source && a.rule === b.rule
}
