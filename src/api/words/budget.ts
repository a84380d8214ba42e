import type { ApiBudget } from '../contracts/audit.ts'

const paceWords: Readonly<Record<ApiBudget['pace'], string>> = {
  full: 'Sweeps run as often as is set.',
  slow: 'Below half of the budget: sweeps run three times as seldom.',
  stopped: 'Below a tenth of the budget: sweeps wait until it is new, dispatch goes on.',
}

/** How often sweeps ask the forge, and why. */
export function paceText(pace: ApiBudget['pace']): string {
  return paceWords[pace]
}
