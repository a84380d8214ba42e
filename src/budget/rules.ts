import type { BudgetReading, Purpose } from '../ports/budget.ts'

/** The pace of resyncs: as configured, slower, or stopped until the forge's limit is renewed. */
export const paces = ['full', 'slow', 'stopped'] as const
export type Pace = (typeof paces)[number]

/** The least share of the limit for each pace; below the last one resyncs are stopped. */
const paceShares = { full: 0.5, slow: 0.1 } as const
/** The factor of the pause between two resyncs; stopped resyncs wait for the reset. */
export const paceFactors = { full: 1, slow: 3, stopped: 3 } as const satisfies Record<Pace, number>
/** The part of the limit that dispatch leaves to recovery: a share, and never less than so many calls. */
const reserveShare = 0.02
const reserveCallsMin = 20

export function paceOf({ limit }: BudgetReading, left: number): Pace {
  if (left >= limit * paceShares.full) return 'full'
  return left >= limit * paceShares.slow ? 'slow' : 'stopped'
}

/** The number of calls that dispatch may not spend. */
function reserveOf({ limit }: BudgetReading): number {
  // Half of a limit that is hardly larger than the reserve: otherwise no job would ever be dispatched.
  return Math.min(Math.max(reserveCallsMin, Math.ceil(limit * reserveShare)), Math.floor(limit / 2))
}

/** Why a call must wait although calls are left; null: it may go. */
export function refusalOf(purpose: Purpose, reading: BudgetReading, left: number): string | null {
  const of = `${Math.max(0, left)} of ${reading.limit} calls are left`
  if (left <= 0) return `the forge's limit is spent: ${of}`
  if (purpose === 'recovery') return null
  if (left <= reserveOf(reading)) return `the rest is kept for recovery: ${of}`
  if (purpose === 'resync' && paceOf(reading, left) === 'stopped') return `resyncs wait: ${of}`
  return null
}
