import type { JobConditions } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { conditionsOf } from './conditions.ts'

/** How many jobs there are, up to `max`: it is not counted on, however long the history is. */
export async function countJobs(db: Db, conditions: JobConditions, max: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(sql`
    select count(*) as count from (select from jobs where ${conditionsOf(conditions)} limit ${max}) as found`)
  return rows[0]?.count ?? 0
}
