import type { BudgetState } from '../budget/index.ts'
import type { Instant } from '../domain/time.ts'
import { type Loop, requeueAfter } from '../loop/index.ts'
import type { Unreachable } from '../ports/forge.ts'
import { type AuditDeps, type Compared, compareJobs } from './audit.ts'
import { createResyncPause, type PutOff, putOffOf } from './pace.ts'
import { checkReach } from './reach.ts'
import { type RedeliveryReport, redeliver } from './redeliver.ts'
import { removeUnused } from './unused.ts'

/** The result of one comparison with the forge. */
export interface AuditReport {
  readonly at: Instant
  /** Why nothing was compared; null where it was. */
  readonly putOff: PutOff | null
  readonly compared: Compared | null
  readonly unreachable: readonly Unreachable[]
  /** Null: the forge keeps no list of its webhooks, or it was not read now. */
  readonly deliveries: RedeliveryReport | null
  readonly budget: BudgetState
}

/** An unreachable repository is held back until the next audit, and a little longer. */
const holdFactor = 1.5
const holdMsMin = 60_000

/** Runs audits in the background; the pause grows when the forge's limit runs low. */
export function auditLoop(deps: AuditDeps, everyMs: number): Loop {
  const pause = createResyncPause('the audit is put off: jobs without a webhook are found later', deps)
  return {
    name: 'audit',
    resyncMs: everyMs,
    wokenBy: () => false,
    async pass(signal) {
      const putOff = pause.putOff()
      if (putOff !== null) return requeueAfter(putOff.forMs)
      await compareAll(deps, everyMs, signal)
      return pause.next(everyMs)
    },
  }
}

/** Audits on demand, after a redelivery pass; returns everything that it found and did. */
export async function auditNow(deps: AuditDeps, everyMs: number, signal: AbortSignal): Promise<AuditReport> {
  const at = await deps.ledger.now()
  const putOff = putOffOf(deps.budget)
  if (putOff !== null) {
    return { at, putOff, compared: null, unreachable: [], deliveries: null, budget: deps.budget.state() }
  }
  const deliveries = deps.deliveries === null ? null : await redeliver(deps, deps.deliveries, signal)
  const found = await compareAll(deps, everyMs, signal)
  return { at, putOff: null, ...found, deliveries, budget: deps.budget.state() }
}

/** The steps do not wait for each other: a failure is thrown after the other steps are done. */
async function compareAll(
  deps: AuditDeps,
  everyMs: number,
  signal: AbortSignal,
): Promise<Pick<AuditReport, 'compared' | 'unreachable'>> {
  const failures: unknown[] = []
  const step = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      signal.throwIfAborted()
      return await work()
    } catch (error) {
      failures.push(error)
      return null
    }
  }
  const compared = await step(() => compareJobs(deps, signal))
  await step(() => removeUnused(deps, signal))
  const holdMs = Math.max(holdMsMin, everyMs * deps.budget.state().paceFactor * holdFactor)
  const unreachable = await step(() => checkReach(deps, holdMs, signal))
  if (failures.length > 0) throw failures[0]
  return { compared, unreachable: unreachable ?? [] }
}
