import type { Job } from '../../../../domain/job/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { type Locked, lockJobs } from '../plan/index.ts'

export interface LockedJob extends Locked {
  readonly job: Job
  readonly hasOpenAttempt: boolean
}

/** Locks a job: while it is, nobody opens or ends an attempt of it. Null: there is none, or it is archived. */
export async function lockJob(tx: Db, jobId: number): Promise<LockedJob | null> {
  const jobs = await lockJobs(tx, [jobId])
  const job = jobs.get(jobId)
  if (job === undefined) return null
  const { rows } = await tx.query<{ now: number; open: boolean }>(sql`
    select now() as now, exists (select from attempts where job_id = ${jobId} and ended_at is null) as open`)
  return {
    job,
    hasOpenAttempt: rows[0]?.open === true,
    rows: { jobs, attempts: new Map(), runners: new Map() },
    now: rows[0]?.now as number,
  }
}
