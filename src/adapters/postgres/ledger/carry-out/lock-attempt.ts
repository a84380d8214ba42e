import type { Attempt, Handle } from '../../../../domain/attempt/index.ts'
import type { Job } from '../../../../domain/job/index.ts'
import type { Runner } from '../../../../domain/runner/index.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import {
  attemptColumns,
  jobColumns,
  type Row,
  runnerColumns,
  toAttempt,
  toJob,
  toRunner,
} from '../rows/index.ts'
import type { Locked } from './carry-out.ts'
import { RowsMoved } from './rows-moved.ts'

/** An open attempt with its job and its runner, all locked. */
export interface Bound extends Locked {
  readonly attempt: Attempt
  readonly job: Job
  readonly runner: Runner
}

/** Locks the open attempt that a handle names, and what it binds; null: there is none (any more). */
export async function lockAttempt(tx: Db, handle: Handle): Promise<Bound | null> {
  if (!isUuid(handle)) return null
  const { rows } = await tx.query<Row>(
    prepared(
      'lock-attempt',
      sql`
    select ${attemptColumns}, ${jobColumns}, ${runnerColumns}, now() as now
      from attempts
      join jobs on jobs.id = attempts.job_id
      join runners on runners.id = attempts.runner_id
     where attempts.handle = ${handle} and attempts.ended_at is null
       for no key update of jobs, attempts, runners`,
    ),
  )
  const row = rows[0]
  if (row === undefined) return absent(tx, handle)
  const [attempt, job, runner] = [toAttempt(row), toJob(row), toRunner(row)]
  return {
    attempt,
    job,
    runner,
    rows: {
      jobs: new Map([[job.id, job]]),
      attempts: new Map([[attempt.id, attempt]]),
      runners: new Map([[runner.id, runner]]),
    },
    now: row.now as number,
  }
}

/** An attempt that was rebound while its lock was awaited is not found above, and yet it is open. */
async function absent(tx: Db, handle: Handle): Promise<null> {
  const { rowCount } = await tx.query(sql`select from attempts where handle = ${handle} and ended_at is null`)
  if (rowCount > 0) throw new RowsMoved(`attempt ${handle}`)
  return null
}

/** What is none names no attempt, and the server would refuse it. */
export function isUuid(handle: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(handle)
}
