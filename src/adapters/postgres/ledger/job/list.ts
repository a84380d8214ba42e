import { isOpen, type Job } from '../../../../domain/job/index.ts'
import type { JobFilter } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { inService, jobColumns, type Row, toJob } from '../rows/index.ts'

/** What can only be among the open ones is read from their indexes, however much has ended. */
const amongOpen = sql`
  and id in (select id from jobs where state = 'queued' union all select id from jobs where state in ${inService})`

/** Jobs that are not archived, newest first. */
export async function listJobs(db: Db, { states, repository, limit }: JobFilter): Promise<Job[]> {
  const onlyOpen = states?.every((state) => isOpen({ state })) ?? false
  const { rows } = await db.query<Row>(sql`
    select ${jobColumns}
      from jobs
     where (${states === undefined} or state = any (${states ?? []}::text[]))
       and (${repository === undefined} or lower(repository) = lower(${repository ?? ''}::text))
       ${onlyOpen ? amongOpen : sql``}
     order by id desc
     limit ${limit}`)
  return rows.map(toJob)
}
