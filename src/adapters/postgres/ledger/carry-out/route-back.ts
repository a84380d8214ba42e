import type { Rows } from '../../../../domain/binding/index.ts'
import type { Job } from '../../../../domain/job/index.ts'
import { routeToPool } from '../../../../domain/pool/index.ts'
import type { Cause } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { listPools } from '../pool/list.ts'
import { placeInQueue } from '../pool/place.ts'
import { appendTimeline } from './append-timeline.ts'

/**
 * Jobs as they are once those that come back into the queue of a pool that was put away meanwhile, where nobody would
 * look for them, are routed anew.
 */
export async function routeBack(tx: Db, jobs: readonly Job[], before: Rows, cause: Cause): Promise<Job[]> {
  const isBack = (job: Job) => job.state === 'queued' && before.jobs.get(job.id)?.state !== 'queued'
  const lost = await putAway(tx, jobs.filter(isBack))
  if (lost.length === 0) return [...jobs]
  const pools = await listPools(tx)
  const moving = lost.map((job) => ({ job, to: routeToPool(job.labels, pools) }))
  await placeInQueue(tx, moving)
  const routed = moving.map(({ job, to }) => ({
    subject: 'job' as const,
    subjectId: job.id,
    jobId: job.id,
    kind: 'routed',
    facts: { from: job.pool, to: to?.name ?? null },
  }))
  await appendTimeline(tx, routed, cause)
  return jobs.map((job) => {
    const moved = moving.find(({ job: { id } }) => id === job.id)
    return moved === undefined ? job : { ...job, pool: moved.to?.name ?? null }
  })
}

async function putAway(tx: Db, jobs: readonly Job[]): Promise<Job[]> {
  if (jobs.length === 0) return []
  const { rows } = await tx.query<{ name: string }>(sql`
    select name from pools
     where name = any (${jobs.map(({ pool }) => pool)}::text[]) and removed_at is not null
       for key share -- waits for putPools`)
  return jobs.filter(({ pool }) => rows.some(({ name }) => name === pool))
}
