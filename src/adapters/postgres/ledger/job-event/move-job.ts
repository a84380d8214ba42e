import { isSameName, type Job } from '../../../../domain/job/index.ts'
import { type JobEvent, originAfter } from '../../../../domain/job-event/index.ts'
import { reroute } from '../../../../domain/pool/index.ts'
import type { Cause } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { appendTimeline, lockJobs, notify } from '../plan/index.ts'
import { listPools } from '../pool/list.ts'
import { placeInQueue } from '../pool/place.ts'
import { text } from '../rows/index.ts'

/**
 * The job's repository was renamed or has another owner: from now on the job counts there, and what was held or said of
 * the repository goes with it. Or the forge says more of what the job runs. A pool that does not take it any more loses
 * it, and one that takes it now may get it. False: the job is over.
 */
export async function moveJob(
  tx: Db,
  jobId: number,
  event: Pick<JobEvent, 'job'>,
  cause: Cause,
): Promise<boolean> {
  await tx.query(sql`lock table pools in row share mode`) // before the job's row, as who puts pools does
  const job = (await lockJobs(tx, [jobId])).get(jobId)
  if (job === undefined || job.endedAt !== null) return false
  const origin = originAfter(job, event, cause)
  await tx.query(sql`
    update jobs set visibility = ${origin.visibility ?? null}, is_fork = ${origin.isFork ?? null} where id = ${jobId}`)
  const { repository } = event.job
  const isMoved = !isSameName(job.repository, repository)
  const to = isMoved ? text(repository) : job.repository
  if (isMoved) await moveRepository(tx, job, to, cause)
  const there = { ...job, ...origin, repository: to, owner: to.split('/')[0] as string }
  const routed = job.state === 'queued' ? reroute(there, await listPools(tx)) : null
  if (routed !== null) {
    await placeInQueue(tx, [{ job: there, to: routed.to }])
    const facts = { from: job.pool, to: routed.to?.name ?? null }
    await appendTimeline(tx, [{ subject: 'job', subjectId: jobId, jobId, kind: 'routed', facts }], cause)
  }
  const pool = routed === null ? job.pool : (routed.to?.name ?? null)
  // Without a pool too: who searches for its origin is woken by the pool without a name.
  await notify(tx, 'jobs', pool ?? '')
  return true
}

async function moveRepository(tx: Db, job: Job, to: string, cause: Cause): Promise<void> {
  const { id: jobId, repository: from, installation } = job
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
}
