import { type Database, type Db, sql } from '../../connection/index.ts'
import { milliseconds } from '../rows/index.ts'
import { archiveJobs, endedJobs } from './archive-jobs.ts'
import { archiveRunners, endedRunners } from './archive-runners.ts'
import { eachByItself } from './each-by-itself.ts'
import { moveOrSetAside } from './set-aside.ts'

/** GitHub delivers again what it sent in the last three days: so long it must be known that a delivery came. */
const knownFor = '4 days'

/**
 * Moves jobs that ended before to the archive, and then runners whose jobs are all there; clears away what nobody
 * needs any more: settled deliveries, holds that are over. At most so many of each. Nothing open is touched. Each is
 * done for itself: where one fails the others are done, and the failure is thrown at the end.
 */
export function archive(database: Database, olderThanMs: number, limit: number): Promise<number> {
  const age = milliseconds(olderThanMs)
  return eachByItself([
    () => moveOrSetAside(database, { kind: 'job', find: endedJobs, move: archiveJobs }, age, limit),
    () => moveOrSetAside(database, { kind: 'runner', find: endedRunners, move: archiveRunners }, age, limit),
    () => dropDeliveries(database, age, limit),
    () => dropHolds(database, limit),
  ])
}

/** Deletes deliveries that were done or ignored; one that was set aside stays until somebody has looked at it. */
async function dropDeliveries(db: Db, age: string, limit: number): Promise<number> {
  await db.query(sql`
    delete from deliveries
     where guid in (select guid from deliveries
                     where state in ('done', 'ignored')
                       and settled_at <= now() - greatest(${age}::interval, ${knownFor}::interval)
                     order by settled_at
                     limit ${limit}
                       for update skip locked)`)
  return 0
}

async function dropHolds(db: Db, limit: number): Promise<number> {
  await db.query(sql`
    delete from holds
     where id in (select id from holds where until < now() limit ${limit} for update skip locked)`)
  return 0
}
