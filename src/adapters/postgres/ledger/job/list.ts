import { endedRank, type Job } from '../../../../domain/job/index.ts'
import type { JobConditions, JobFilter, JobReader, UnreadableJob } from '../../../../ports/ledger.ts'
import { type Db, type Sql, sql } from '../../connection/index.ts'
import { inUnknownState, isOfRow, jobColumns, type Row, readApart, text, toJob } from '../rows/index.ts'
import { amongOpen, conditionsOf, rank } from './conditions.ts'

type Listing = Awaited<ReturnType<JobReader['jobs']>>

/** Jobs that are not archived, in the order that is asked for. Where one cannot be read, all are read apart. */
export async function listJobs(db: Db, filter: JobFilter): Promise<Listing> {
  return filter.order === 'attention' ? byAttention(db, filter) : newestFirst(db, filter)
}

async function newestFirst(db: Db, { limit, after, ...filter }: JobFilter): Promise<Listing> {
  const wanted = sql`
    ${conditionsOf(filter)} ${after === undefined ? sql`` : sql`and id < ${after.id}`}
    order by id desc
    limit ${limit}`
  const isAnyState = filter.states === undefined && filter.standings === undefined
  return withStrange(db, await readOrApart(db, wanted), filter, isAnyState ? 0 : limit)
}

/** The open ones are few and are ranked; of those that ended, so many as there is room for are read by their numbers. */
async function byAttention(db: Db, { limit, after, ...filter }: JobFilter): Promise<Listing> {
  const behind = after === undefined ? sql`` : sql`and (${rank}, id) > (${after.rank}, ${after.id})`
  const none: Listing = { rows: [], unreadable: [] }
  const open =
    after?.rank === endedRank
      ? none
      : await readOrApart(
          db,
          sql`${conditionsOf(filter)} ${amongOpen} ${behind} order by ${rank}, id limit ${limit}`,
        )
  const room = limit - open.rows.length - open.unreadable.length
  const older = after?.rank === endedRank ? sql`and id < ${after.id}` : sql``
  const ended =
    room === 0
      ? none
      : await readOrApart(
          db,
          sql`${conditionsOf(filter)} and ended_at is not null ${older} order by id desc limit ${room}`,
        )
  const listed = {
    rows: [...open.rows, ...ended.rows],
    unreadable: [...open.unreadable, ...ended.unreadable],
  }
  return withStrange(db, listed, filter, limit)
}

/** Whatever state is asked for, they may be in it. Where none is, they are among the others. */
async function withStrange(db: Db, listed: Listing, filter: JobConditions, limit: number): Promise<Listing> {
  if (limit === 0) return listed
  const { repository } = filter
  const ofRepository =
    repository === undefined ? sql`` : sql`and lower(repository) = lower(${text(repository)}::text)`
  const strange = await inStrangeStates(db, ofRepository, limit)
  const known = new Set(strange.map(({ id }) => id))
  return { ...listed, unreadable: [...strange, ...listed.unreadable.filter(({ id }) => !known.has(id))] }
}

async function readOrApart(db: Db, wanted: Sql): Promise<Listing> {
  try {
    return { rows: await readJobs(db, wanted), unreadable: [] }
  } catch (error) {
    if (!isOfRow(error)) throw error
    return listApart(db, wanted)
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
    readJobs(db, sql`id = any (${ids}::bigint[]) order by array_position(${ids}::bigint[], id)`),
  )
  return { rows: read, unreadable: refused.map(({ key, error }) => ({ ...key, error })) }
}
