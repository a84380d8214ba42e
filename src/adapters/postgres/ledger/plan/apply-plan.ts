import {
  type AppliedPlan,
  applyChanges,
  type Change,
  evidenceIn,
  type LockedRows,
} from '../../../../domain/job-event/index.ts'
import type { Instant } from '../../../../domain/time.ts'
import type { Cause } from '../../../../ports/ledger.ts'
import type { Db } from '../../connection/index.ts'
import { appendTimeline } from './append-timeline.ts'
import { insertAttempt } from './insert-attempt.ts'
import { wakeFor } from './notify.ts'
import { routeBack } from './route-back.ts'
import { storeEvidence } from './store-evidence.ts'
import { writeAttempts } from './write-attempts.ts'
import { writeJobs } from './write-jobs.ts'
import { writeRunners } from './write-runners.ts'

/** Rows that this transaction has locked, and its time. */
export interface Locked {
  readonly rows: LockedRows
  readonly now: Instant
}

/**
 * Applies a plan to locked rows: evidence first, then the rows, their timeline, and the notifications. `andThen` is sent
 * behind the rows in the same go.
 */
export async function applyPlan(
  tx: Db,
  { rows, now }: Locked,
  changes: readonly Change[],
  cause: Cause,
  andThen: () => Promise<unknown> = async () => {},
): Promise<AppliedPlan> {
  const evidenceId = await storeEvidence(tx, evidenceIn(changes))
  const applied = applyChanges(rows, changes, evidenceId, now)
  // The server runs them in this order; none is waited for before the next is sent.
  await Promise.all([
    writeJobs(tx, applied.jobs, rows),
    writeAttempts(tx, applied.attempts, rows),
    ...applied.opened.map((attempt) => insertAttempt(tx, attempt)),
    writeRunners(tx, applied.runners, rows),
    appendTimeline(tx, applied.timeline, cause),
    andThen(),
  ])
  const jobs = await routeBack(tx, applied.jobs, rows, cause)
  await wakeFor(tx, rows, { ...applied, jobs }, now)
  return { ...applied, jobs }
}
