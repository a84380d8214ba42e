import { type Change, losesJob } from '../../../../domain/job-event/index.ts'
import type { ApplyResult } from '../../../../ports/ledger.ts'
import type { Db } from '../../connection/index.ts'
import type { LedgerContext } from '../context.ts'
import { applyPlan } from '../plan/index.ts'
import { findBoundRows } from './find-bound-rows.ts'
import { lockBoundRows } from './lock-bound-rows.ts'
import type { PendingEvent } from './pending-event.ts'
import { planEvents } from './plan-events.ts'

/** The effect of an event on its rows. */
export interface Effect {
  readonly isChanged: boolean
  readonly isLost?: true
}

/**
 * Applies events of one cause to known jobs and to what is bound to them; gives the effect of each. An event that shares
 * a row with one before it is left out.
 */
export async function applyToBoundRows(
  tx: Db,
  ledger: LedgerContext,
  batch: readonly PendingEvent[],
): Promise<Map<PendingEvent, Effect>> {
  const [first] = batch
  if (first === undefined) return new Map()
  const found = await findBoundRows(tx, batch)
  const locked = await lockBoundRows(tx, found)
  const plans = planEvents(locked, ledger)
  const changes = [...plans.values()].flat()
  if (changes.length > 0) await applyPlan(tx, locked, changes, first.cause)
  return new Map([...plans].map(([pending, plan]) => [pending, effectOf(plan)]))
}

/** The result of an event about a job that was known before. */
export function resultOf(jobId: number, effect: Effect | undefined): ApplyResult {
  if (!effect?.isChanged) return { kind: 'nothing', jobId }
  return { kind: 'changed', jobId, ...(effect.isLost && { isLost: true }) }
}

function effectOf(plan: readonly Change[]): Effect {
  return { isChanged: plan.length > 0, ...(losesJob(plan) && { isLost: true }) }
}
