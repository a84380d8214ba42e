import { type Database, type Db, sql } from '../../connection/index.ts'
import { milliseconds } from '../rows/index.ts'
import { eachByItself } from './each-by-itself.ts'

/**
 * Drops archived jobs and runners that ended before, the oldest first, and what else is history by then: incidents
 * that are over, deliveries that were set aside. At most so many of each; gives how many of what was most.
 */
export function purge(database: Database, olderThanMs: number, limit: number): Promise<number> {
  const age = milliseconds(olderThanMs)
  return eachByItself([
    () => dropIncidents(database, age, limit),
    () => dropSetAside(database, age, limit),
    () => dropJobs(database, age, limit),
    () => dropRunners(database, age, limit),
  ])
}

async function dropIncidents(tx: Db, age: string, limit: number): Promise<number> {
  await tx.query(sql`
    delete from incidents
     where id in (select id from incidents
                   where closed_at <= now() - ${age}::interval
                   order by closed_at, id
                   limit ${limit}
                     for update skip locked)`)
  return 0
}

async function dropSetAside(tx: Db, age: string, limit: number): Promise<number> {
  await tx.query(sql`
    delete from deliveries
     where guid in (select guid from deliveries
                     where state = 'poison' and settled_at <= now() - ${age}::interval
                     order by settled_at
                     limit ${limit}
                       for update skip locked)`)
  return 0
}

/** The program may not delete from the archive itself: see migrations/0012_program_role.sql. */
async function dropJobs(db: Db, age: string, limit: number): Promise<number> {
  const { rows } = await db.query<{ dropped: number }>(sql`
    select purge_archived_jobs(${age}::interval, ${limit}::integer) as dropped`)
  return rows[0]?.dropped ?? 0
}

async function dropRunners(db: Db, age: string, limit: number): Promise<number> {
  const { rows } = await db.query<{ dropped: number }>(sql`
    select purge_archived_runners(${age}::interval, ${limit}::integer) as dropped`)
  return rows[0]?.dropped ?? 0
}
