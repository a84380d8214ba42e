import type { Handle } from '../../../../domain/attempt/index.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import type { Locked } from './carry-out.ts'
import { type Bound, isUuid, lockAttempt } from './lock-attempt.ts'
import { lockAttempts, lockJobs, lockRunners } from './lock-rows.ts'
import { RowsMoved } from './rows-moved.ts'

/** Open attempts with their jobs and runners, all locked. */
export interface ManyBound extends Locked {
  /** In the order of the handles; null: that attempt is not open (any more). */
  readonly each: readonly (Pick<Bound, 'attempt' | 'job' | 'runner'> | null)[]
}

/** Locks the open attempts that handles name, and what they bind, in the order in which everybody locks. */
export async function lockBound(tx: Db, handles: readonly Handle[]): Promise<ManyBound> {
  const [first, second] = handles
  if (first !== undefined && second === undefined) return lockOnly(tx, first)
  const found = await find(tx, handles)
  const rows = {
    jobs: await lockJobs(tx, found.jobs),
    attempts: await lockAttempts(tx, found.attempts),
    runners: await lockRunners(tx, found.runners),
  }
  const byHandle = new Map([...rows.attempts.values()].map((attempt) => [attempt.handle, attempt]))
  const each = handles.map((handle) => {
    const attempt = byHandle.get(handle.toLowerCase())
    if (attempt === undefined || attempt.endedAt !== null) return null
    const [job, runner] = [rows.jobs.get(attempt.jobId), rows.runners.get(attempt.runnerId)]
    if (job === undefined || runner === undefined) throw new RowsMoved(`attempt ${handle}`)
    return { attempt, job, runner }
  })
  return { each, rows, now: found.now }
}

async function lockOnly(tx: Db, handle: Handle): Promise<ManyBound> {
  const bound = await lockAttempt(tx, handle)
  const none = { jobs: new Map(), attempts: new Map(), runners: new Map() }
  return { each: [bound], rows: bound?.rows ?? none, now: bound?.now ?? 0 }
}

interface Found {
  readonly attempts: number[]
  readonly jobs: number[]
  readonly runners: number[]
  readonly now: number
}

async function find(tx: Db, handles: readonly Handle[]): Promise<Found> {
  const { rows } = await tx.query<Found>(
    prepared(
      'find-bound',
      sql`
    select coalesce(array_agg(id), '{}') as attempts,
           coalesce(array_agg(job_id), '{}') as jobs,
           coalesce(array_agg(runner_id), '{}') as runners,
           now() as now
      from attempts
     where handle = any (${handles.filter(isUuid)}::uuid[]) and ended_at is null`,
    ),
  )
  return rows[0] as Found
}
