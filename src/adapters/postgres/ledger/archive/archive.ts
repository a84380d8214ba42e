import { type Database, type Db, sql } from '../../connection/index.ts'
import { milliseconds } from '../rows/index.ts'
import { archiveJobs } from './archive-jobs.ts'
import { archiveRunners } from './archive-runners.ts'

/** GitHub delivers again what it sent in the last three days: so long it must be known that a delivery came. */
const knownFor = '4 days'

/**
 * Moves jobs that ended before to the archive, and then runners whose jobs are all there; clears away what nobody
 * needs any more: settled deliveries, holds that are over. At most so many of each. Nothing open is touched.
 */
export function archive(database: Database, olderThanMs: number, limit: number): Promise<number> {
  const age = milliseconds(olderThanMs)
  return database.transaction(async (tx) => {
    await tx.query(sql`select set_config('holdfast.archiving', 'on', true)`) // see the timeline's trigger
    const archived = await archiveJobs(tx, age, limit)
    const runners = await archiveRunners(tx, age, limit)
    await dropDeliveries(tx, age, limit)
    await dropHolds(tx, limit)
    return Math.max(archived, runners)
  })
}

/** What was set aside stays until somebody has looked at it, or until it is history. */
async function dropDeliveries(tx: Db, age: string, limit: number): Promise<void> {
  await tx.query(sql`
    delete from deliveries
     where guid in (select guid from deliveries
                     where state in ('done', 'ignored')
                       and settled_at <= now() - greatest(${age}::interval, ${knownFor}::interval)
                     order by settled_at
                     limit ${limit}
                       for update skip locked)`)
}

async function dropHolds(tx: Db, limit: number): Promise<void> {
  await tx.query(sql`
    delete from holds
     where id in (select id from holds where until < now() limit ${limit} for update skip locked)`)
}
