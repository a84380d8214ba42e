import { isOpen, type Job } from '../../../../domain/job/index.ts'
import type { JobFilter } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { jobColumns, type Row, toJob } from '../rows/index.ts'

/** Jobs that are not archived, newest first. */
export async function listJobs(db: Db, { states, repository, limit }: JobFilter): Promise<Job[]> {
  const onlyOpen = states?.every((state) => isOpen({ state })) ?? false
  const { rows } = await db.query<Row>(sql`
    select ${jobColumns}
      from jobs
     where (${states === undefined} or state = any (${states ?? []}::text[]))
       and (${repository === undefined} or repository = ${repository ?? ''})
       ${onlyOpen ? sql`and ended_at is null` : sql``}
     order by id desc
     limit ${limit}`) // what is only among the open ones is read from their index
  return rows.map(toJob)
}
