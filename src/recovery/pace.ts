import type { SharedBudget } from '../budget/index.ts'
import type { Instant } from '../domain/time.ts'
import { done, type Outcome, requeueAfter } from '../loop/index.ts'
import type { Log } from '../ports/log.ts'

/** Why a resync is put off, and for how long. */
export interface PutOff {
  readonly forMs: number
  readonly until: Instant
  readonly why: string
}

export interface ResyncPause {
  /** Null: the resync may go. A resync that is put off is logged once, as long as it lasts. */
  putOff(): PutOff | null
  /** When the next resync is due after one that was made. */
  next(everyMs: number): Outcome
}

/** A resync that was put off is checked again at least this often: another process may have a newer reading. */
const lookAgainMsMax = 60_000
const lookAgainMsMin = 1_000

/** Paces resyncs under the forge's limit. */
export function createResyncPause(
  meaning: string,
  { budget, log }: { readonly budget: Pick<SharedBudget, 'state'>; readonly log: Log },
): ResyncPause {
  let isLogged = false
  return {
    putOff() {
      const putOff = putOffOf(budget)
      if (putOff !== null && !isLogged) log.warn({ forMs: putOff.forMs, why: putOff.why }, meaning)
      isLogged = putOff !== null
      if (putOff === null) return null
      return { ...putOff, forMs: Math.min(Math.max(putOff.forMs, lookAgainMsMin), lookAgainMsMax) }
    },
    next(everyMs) {
      const { paceFactor } = budget.state()
      return paceFactor === 1 ? done : requeueAfter(everyMs * paceFactor)
    },
  }
}

/** Whether resyncs wait for the forge's limit to be renewed. */
export function putOffOf(budget: Pick<SharedBudget, 'state'>): PutOff | null {
  const { resyncsFrom, resyncsInMs, left, limit, pausedUntil } = budget.state()
  if (resyncsFrom === null || resyncsInMs === null) return null
  const why =
    pausedUntil === null
      ? `${left} of ${limit} calls to the forge are left`
      : 'the forge asked for silence for a while'
  return { forMs: resyncsInMs, until: resyncsFrom, why }
}
