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
import { type Bound, isUuid } from './lock-attempt.ts'
import { RowsMoved } from './rows-moved.ts'

/** Open attempts with their jobs and runners, all locked. */
export interface ManyBound extends Locked {
  /** In the order of the handles; null: that attempt is not open (any more). */
  readonly each: readonly (Pick<Bound, 'attempt' | 'job' | 'runner'> | null)[]
}

/**
 * Locks the open attempts that handles name, and what they bind: by job, and of each its job, its attempt and its
 * runner. Whoever else locks an attempt or its runner has its job first or no other row of these, so that nobody waits
 * for somebody who waits for him.
 */
export async function lockBound(tx: Db, handles: readonly Handle[]): Promise<ManyBound> {
  const { rows } = await tx.query<Row>(
    prepared(
      'lock-bound',
      sql`
    select ${attemptColumns}, ${jobColumns}, ${runnerColumns}, now() as now
      from attempts
      join jobs on jobs.id = attempts.job_id
      join runners on runners.id = attempts.runner_id
     where attempts.handle = any (${handles.filter(isUuid)}::uuid[]) and attempts.ended_at is null
     order by jobs.id
       for no key update of jobs, attempts, runners`,
    ),
  )
  const jobs = new Map<number, Job>()
  const attempts = new Map<number, Attempt>()
  const runners = new Map<number, Runner>()
  const byHandle = new Map<string, Pick<Bound, 'attempt' | 'job' | 'runner'>>()
  for (const row of rows) {
    const [attempt, job, runner] = [toAttempt(row), toJob(row), toRunner(row)]
    jobs.set(job.id, job)
    attempts.set(attempt.id, attempt)
    runners.set(runner.id, runner)
    byHandle.set(attempt.handle, { attempt, job, runner })
  }
  const each = handles.map((handle) => byHandle.get(handle.toLowerCase()) ?? null)
  const absent = handles.filter((_, index) => each[index] === null).filter(isUuid)
  if (absent.length > 0) await requireEnded(tx, absent)
  return { each, rows: { jobs, attempts, runners }, now: (rows[0]?.now ?? 0) as number }
}

/** An attempt that was rebound while its lock was awaited is not found above, and yet it is open. */
async function requireEnded(tx: Db, handles: readonly Handle[]): Promise<void> {
  const { rows } = await tx.query<{ handle: string }>(sql`
    select handle from attempts where handle = any (${handles}::uuid[]) and ended_at is null`)
  if (rows[0] !== undefined) throw new RowsMoved(`attempt ${rows[0].handle}`)
}
