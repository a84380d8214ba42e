import { type Db, sql } from '../../connection/index.ts'
import { milliseconds } from '../rows/index.ts'

/** Drops archived jobs that ended before, the oldest first. */
export async function purge(db: Db, olderThanMs: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql`
    delete from archived_jobs
     where id in (select id from archived_jobs
                   where ended_at <= now() - ${milliseconds(olderThanMs)}::interval
                   order by ended_at, id
                   limit ${limit}
                     for update skip locked)`)
  return rowCount
}
