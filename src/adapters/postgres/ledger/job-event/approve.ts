import { awaitsApproval } from '../../../../domain/job/index.ts'
import type { Cause } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { appendTimeline, notify } from '../plan/index.ts'

/** Lets runners claim a job that was withheld until its approval; false where that was done before. */
export async function approve(tx: Db, jobId: number, cause: Cause): Promise<boolean> {
  const { rows } = await tx.query<{ pool: string | null }>(sql`
    update jobs set quarantine = null
     where id = ${jobId} and state = 'queued' and quarantine = ${awaitsApproval}
    returning pool`)
  const [job] = rows
  if (job === undefined) return false
  await appendTimeline(tx, [{ subject: 'job', subjectId: jobId, jobId, kind: 'approved', facts: {} }], cause)
  if (job.pool !== null) await notify(tx, 'jobs', job.pool)
  return true
}
