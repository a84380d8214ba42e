import { type Pool, reroute } from '../../../../domain/pool/index.ts'
import type { Cause, Leader } from '../../../../ports/ledger.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { mayLead } from '../lease/lead.ts'
import { appendTimeline, channels } from '../plan/index.ts'
import { jobColumns, json, ofKnownPriority, type Row, toJob } from '../rows/index.ts'
import { listPools } from './list.ts'
import { type Moving, placeInQueue } from './place.ts'

/**
 * Makes these the pools there are, and routes jobs again that their pool does not serve any more. The table's lock
 * waits for jobs that are being inserted by the old pools, and makes new ones wait. The first time in a process all jobs
 * that wait are looked at, also where the pools stay: an earlier version may have left some where nobody looks for them.
 */
export function putPools(
  database: Database,
  pools: readonly Pool[],
  cause: Cause,
  leader: Leader | null,
  isFirst: boolean,
): Promise<'put' | 'deposed'> {
  return database.transaction(async (tx) => {
    if (leader !== null && !(await mayLead(tx, leader))) return 'deposed'
    await tx.query(sql`lock table pools in exclusive mode`)
    const isOfferedAlike = offered(await listPools(tx)) === offered(pools)
    for (const pool of pools) await upsertPool(tx, pool)
    await removeOthers(tx, pools)
    const moving = isOfferedAlike && !isFirst ? [] : await unserved(tx, pools)
    await placeInQueue(tx, moving)
    const routed = moving.map(({ job, to }) => ({
      subject: 'job' as const,
      subjectId: job.id,
      jobId: job.id,
      kind: 'routed',
      facts: { from: job.pool, to: to?.name ?? null },
    }))
    await appendTimeline(tx, routed, cause)
    await wakeAll(tx, pools)
    return 'put'
  })
}

/** Which pools offer which labels to whom: where that stays, no job has to go elsewhere, and none is looked at. */
function offered(pools: readonly Pool[]): string {
  return JSON.stringify(
    pools
      .map(({ name, labels, repositories, publicRepositories, forks }) => [
        name,
        labels,
        repositories ?? null,
        publicRepositories,
        forks,
      ])
      .sort(),
  )
}

async function upsertPool(tx: Db, pool: Pool): Promise<void> {
  await tx.query(sql`
    insert into pools (name, spec)
    values (${pool.name}, ${json(pool)})
    on conflict (name) do update
       set spec = excluded.spec, updated_at = now(), removed_at = null
     where pools.spec is distinct from excluded.spec or pools.removed_at is not null`)
}

/** Its row stays, because runners and jobs name it; its runners have to go. */
async function removeOthers(tx: Db, pools: readonly Pool[]): Promise<void> {
  await tx.query(sql`
    with removed as (
      update pools
         set removed_at = now(), updated_at = now()
       where removed_at is null and name <> all (${pools.map(({ name }) => name)}::text[])
      returning name
    )
    select pg_notify(${channels.jobs}, name) from removed`)
}

/**
 * Queued jobs that have to go elsewhere; oldest first, because that is their order. One whose priority only a newer
 * version knows stays where it is: that version routes it.
 */
async function unserved(tx: Db, pools: readonly Pool[]): Promise<Moving[]> {
  const { rows } = await tx.query<Row>(sql`
    select ${jobColumns} from jobs where state = 'queued' and ${ofKnownPriority} order by id for no key update`)
  return rows.map(toJob).flatMap((job) => {
    const moved = reroute(job, pools)
    return moved === null ? [] : [{ job, to: moved.to }]
  })
}

/** Wakes the waiting polls of these pools: caps, weights and labels may have changed. */
async function wakeAll(tx: Db, pools: readonly Pool[]): Promise<void> {
  await tx.query(sql`
    select pg_notify(${channels.jobs}, name) from unnest(${pools.map(({ name }) => name)}::text[]) as pool (name)`)
}
