import type { ApiBudget } from '../contracts/resync.ts'

const paceWords: Readonly<Record<ApiBudget['pace'], string>> = {
  full: 'Resyncs run as often as is set.',
  slow: 'Below half of the budget: resyncs run three times as seldom.',
  stopped: 'Below a tenth of the budget: resyncs wait until it is new, dispatch goes on.',
}

/** How often resyncs ask the forge, and why. */
export function paceText(pace: ApiBudget['pace']): string {
  return paceWords[pace]
}
