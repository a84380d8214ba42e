import type { BudgetReading, Purpose } from '../ports/budget.ts'

/** How sweeps go: as often as they are set to, less often, or not before the forge's limit is renewed. */
export const paces = ['full', 'slow', 'stopped'] as const
export type Pace = (typeof paces)[number]

/** From which share of the limit on; what is below the last goes at `stopped`. */
const paceShares = { full: 0.5, slow: 0.1 } as const
/** By how much the pause between two sweeps grows; stopped ones wait for the reset. */
export const paceFactors = { full: 1, slow: 3, stopped: 3 } as const satisfies Record<Pace, number>
/** What dispatch leaves to recovery: a share of the limit, and never less than so many calls. */
const reserveShare = 0.02
const reserveCallsMin = 20

export function paceOf({ limit }: BudgetReading, left: number): Pace {
  if (left >= limit * paceShares.full) return 'full'
  return left >= limit * paceShares.slow ? 'slow' : 'stopped'
}

/** How many calls are kept from dispatch. */
export function reserveOf({ limit }: BudgetReading): number {
  // Of a limit that is hardly larger than the reserve, half: else nothing would ever be dispatched.
  return Math.min(Math.max(reserveCallsMin, Math.ceil(limit * reserveShare)), Math.floor(limit / 2))
}

/** Why a call must wait although something is left; null: it may go. */
export function refusalOf(purpose: Purpose, reading: BudgetReading, left: number): string | null {
  const of = `${Math.max(0, left)} of ${reading.limit} calls are left`
  if (left <= 0) return `the forge's limit is spent: ${of}`
  if (purpose === 'recovery') return null
  if (left <= reserveOf(reading)) return `the rest is kept for recovery: ${of}`
  if (purpose === 'sweep' && paceOf(reading, left) === 'stopped') return `sweeps wait: ${of}`
  return null
}
