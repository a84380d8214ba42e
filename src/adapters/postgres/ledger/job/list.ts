import { isOpen, type Job } from '../../../../domain/job/index.ts'
import type { JobFilter, Ledger, UnreadableJob } from '../../../../ports/ledger.ts'
import { type Db, type Sql, sql } from '../../connection/index.ts'
import { inService, inUnknownState, isOfRow, jobColumns, type Row, readApart, toJob } from '../rows/index.ts'

type Listing = Awaited<ReturnType<Ledger['jobs']>>

/** What can only be among the open ones is read from their indexes, however much has ended. */
const amongOpen = sql`
  and id in (select id from jobs where state = 'queued' union all select id from jobs where state in ${inService})`

/** Jobs that are not archived, newest first. Where one cannot be read, all are read apart. */
export async function listJobs(db: Db, { states, repository, limit }: JobFilter): Promise<Listing> {
  const onlyOpen = states?.every((state) => isOpen({ state })) ?? false
  const ofRepository =
    repository === undefined ? sql`` : sql`and lower(repository) = lower(${repository}::text)`
  const inStates = states === undefined ? sql`` : sql`and state = any (${states}::text[])`
  const wanted = sql`
    true ${inStates} ${ofRepository} ${onlyOpen ? amongOpen : sql``}
    order by id desc
    limit ${limit}`
  // Whatever state is asked for, they may be in it. Where none is, they are among the others.
  const strange = states === undefined ? [] : await inStrangeStates(db, ofRepository, limit)
  try {
    return { rows: await readJobs(db, wanted), unreadable: strange }
  } catch (error) {
    if (!isOfRow(error)) throw error
    const { rows, unreadable } = await listApart(db, wanted)
    return { rows, unreadable: [...strange, ...unreadable] }
  }
}

async function inStrangeStates(db: Db, ofRepository: Sql, limit: number): Promise<UnreadableJob[]> {
  const { unreadable } = await listApart(
    db,
    sql`${inUnknownState} ${ofRepository} order by id desc limit ${limit}`,
  )
  return [...unreadable]
}

async function readJobs(db: Db, which: Sql): Promise<Job[]> {
  const { rows } = await db.query<Row>(sql`select ${jobColumns} from jobs where ${which}`)
  return rows.map(toJob)
}

/** By what can always be read. */
async function listApart(db: Db, which: Sql): Promise<Listing> {
  const { rows: keys } = await db.query<Omit<UnreadableJob, 'error'>>(sql`
    select id, installation, repository, name, ended_at is not null as "isEnded" from jobs where ${which}`)
  const { read, refused } = await readApart(keys, (ids) =>
    readJobs(db, sql`id = any (${ids}::bigint[]) order by id desc`),
  )
  return { rows: read, unreadable: refused.map(({ key, error }) => ({ ...key, error })) }
}
