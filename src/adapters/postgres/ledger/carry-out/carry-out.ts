import {
  type Applied,
  applyChanges,
  type Change,
  evidenceIn,
  type Rows,
} from '../../../../domain/binding/index.ts'
import type { Instant } from '../../../../domain/time.ts'
import type { Cause } from '../../../../ports/ledger.ts'
import type { Db } from '../../connection/index.ts'
import { appendTimeline } from './append-timeline.ts'
import { insertAttempt } from './insert-attempt.ts'
import { wakeFor } from './notify.ts'
import { storeEvidence } from './store-evidence.ts'
import { writeAttempts } from './write-attempts.ts'
import { writeJob } from './write-job.ts'
import { writeRunner } from './write-runner.ts'

/** Rows that this transaction has locked, and its time. */
export interface Locked {
  readonly rows: Rows
  readonly now: Instant
}

/** Carries out a plan on locked rows: evidence first, then the rows, their timeline, and whom it wakes. */
export async function carryOut(
  tx: Db,
  { rows, now }: Locked,
  changes: readonly Change[],
  cause: Cause,
): Promise<Applied> {
  const evidenceId = await storeEvidence(tx, evidenceIn(changes))
  const applied = applyChanges(rows, changes, evidenceId, now)
  for (const job of applied.jobs) await writeJob(tx, job, rows)
  await writeAttempts(tx, applied.attempts, rows)
  for (const attempt of applied.opened) await insertAttempt(tx, attempt)
  for (const runner of applied.runners) await writeRunner(tx, runner, rows)
  await appendTimeline(tx, applied.timeline, cause)
  await wakeFor(tx, rows, applied, now)
  return applied
}
