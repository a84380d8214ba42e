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
import type { Locked } from './apply-plan.ts'
import { RowsMoved } from './rows-moved.ts'

/** An open attempt with its job and its runner. */
export interface LockedAttempt {
  readonly attempt: Attempt
  readonly job: Job
  readonly runner: Runner
}

/** Open attempts with what they bind, all locked. */
export interface LockedAttempts extends Locked {
  /** In the order of the handles; null: that attempt is not open (any more). */
  readonly each: readonly (LockedAttempt | null)[]
}

/**
 * Locks the open attempts that handles name, and what they bind, in one question: by job, and of each its job, its
 * attempt and its runner. Those who lock several attempts or runners without their jobs (repeated polls, ends that come
 * together) go by their ids, which may be another order. Where that meets, the server ends one of the two after a
 * second, and its transaction is retried.
 */
export async function lockOpenAttempts(tx: Db, handles: readonly Handle[]): Promise<LockedAttempts> {
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
  const byHandle = new Map<string, LockedAttempt>()
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

/** Whether a handle is a UUID. Any other names no attempt, and the server would refuse it. */
export function isUuid(handle: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(handle)
}
