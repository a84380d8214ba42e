import type { Cause } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { appendTimeline, lockJobs, notify } from '../carry-out/index.ts'
import { text } from '../rows/index.ts'

/**
 * The job's repository was renamed or has another owner: from now on the job counts there, and what was held or said of
 * the repository goes with it. False: the job is over.
 */
export async function moveJob(tx: Db, jobId: number, given: string, cause: Cause): Promise<boolean> {
  const to = text(given)
  const job = (await lockJobs(tx, [jobId])).get(jobId)
  if (job === undefined || job.endedAt !== null) return false
  const { repository: from, installation, pool } = job
  await tx.query(sql`update jobs set repository = ${to} where id = ${jobId}`)
  await tx.query(sql`
    update holds set key = ${to}
     where kind = 'repository' and lower(key) = lower(${from}::text)
       and not exists (select from holds as there
                        where there.kind = 'repository' and there.key = ${to}
                          and there.incident_id is not distinct from holds.incident_id)`)
  await tx.query(sql`
    update incidents set key = ${to}
     where closed_at is null and installation = ${installation} and scope = 'repository'
       and lower(key) = lower(${from}::text)
       and not exists (select from incidents as there
                        where there.closed_at is null and there.installation = ${installation}
                          and there.scope = 'repository' and there.key = ${to} and there.kind = incidents.kind)`)
  const facts = { from, to }
  await appendTimeline(tx, [{ subject: 'job', subjectId: jobId, jobId, kind: 'moved', facts }], cause)
  if (pool !== null) await notify(tx, 'jobs', pool)
  return true
}
