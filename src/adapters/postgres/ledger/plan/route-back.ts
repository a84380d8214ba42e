import type { Job } from '../../../../domain/job/index.ts'
import type { LockedRows } from '../../../../domain/job-event/index.ts'
import { type Pool, reroute } from '../../../../domain/pool/index.ts'
import type { Cause } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { listPools } from '../pool/list.ts'
import { placeInQueue } from '../pool/place.ts'
import { appendTimeline } from './append-timeline.ts'

/**
 * Jobs as they are once those that come back into the queue are routed by the pools as they are now: theirs may have
 * been retired meanwhile, or have lost a label, or another may serve what none did.
 */
export async function routeBack(
  tx: Db,
  jobs: readonly Job[],
  before: LockedRows,
  cause: Cause,
): Promise<Job[]> {
  const back = jobs.filter((job) => job.state === 'queued' && before.jobs.get(job.id)?.state !== 'queued')
  if (back.length === 0) return [...jobs]
  const pools = await lockPools(tx)
  const moving = back.flatMap((job) => {
    const moved = reroute(job, pools)
    return moved === null ? [] : [{ job, to: moved.to }]
  })
  if (moving.length === 0) return [...jobs]
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

/** Pools stay as they are until the job is back: `putPools` waits for us and then finds the job, or we wait for it. */
async function lockPools(tx: Db): Promise<Pool[]> {
  const [, pools] = await Promise.all([tx.query(sql`lock table pools in row share mode`), listPools(tx)])
  return pools
}
