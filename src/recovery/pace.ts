import type { SharedBudget } from '../budget/index.ts'
import type { Instant } from '../domain/time.ts'
import { again, done, type Outcome } from '../loop/index.ts'
import type { Log } from '../ports/log.ts'

/** Why a sweep is not made now, and for how long. */
export interface PutOff {
  readonly forMs: number
  readonly until: Instant
  readonly why: string
}

export interface SweepPause {
  /** Null: the sweep may go. That it may not is said once, as long as it lasts. */
  putOff(): PutOff | null
  /** When the next one is due after one that was made. */
  next(everyMs: number): Outcome
}

/** A sweep that was put off is looked at again at least this often: another process may know better. */
const lookAgainMsMax = 60_000
const lookAgainMsMin = 1_000

/** How a sweep goes under the forge's limit. */
export function sweepPause(
  meaning: string,
  { budget, log }: { readonly budget: Pick<SharedBudget, 'state'>; readonly log: Log },
): SweepPause {
  let isSaid = false
  return {
    putOff() {
      const putOff = putOffOf(budget)
      if (putOff !== null && !isSaid) log.warn({ forMs: putOff.forMs, why: putOff.why }, meaning)
      isSaid = putOff !== null
      if (putOff === null) return null
      return { ...putOff, forMs: Math.min(Math.max(putOff.forMs, lookAgainMsMin), lookAgainMsMax) }
    },
    next(everyMs) {
      const { paceFactor } = budget.state()
      return paceFactor === 1 ? done : again(everyMs * paceFactor)
    },
  }
}

/** Whether sweeps wait for the forge's limit to be renewed. */
export function putOffOf(budget: Pick<SharedBudget, 'state'>): PutOff | null {
  const { sweepsFrom, sweepsInMs, left, limit, pausedUntil } = budget.state()
  if (sweepsFrom === null || sweepsInMs === null) return null
  const why =
    pausedUntil === null
      ? `${left} of ${limit} calls to the forge are left`
      : 'the forge asked for silence for a while'
  return { forMs: sweepsInMs, until: sweepsFrom, why }
}
