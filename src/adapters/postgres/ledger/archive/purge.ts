import { type Database, type Db, type Sql, sql } from '../../connection/index.ts'
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

async function dropJobs(tx: Db, age: string, limit: number): Promise<number> {
  const { rowCount } = await tx.query(sql`
    delete from archived_jobs
     where id in (select id from archived_jobs
                   where ended_at <= now() - ${age}::interval
                   order by ended_at, id
                   limit ${limit}
                     for update skip locked)`)
  return rowCount
}

async function dropRunners(tx: Db, age: string, limit: number): Promise<number> {
  const { rows } = await tx.query<{ dropped: number }>(sql`
    with dropped as (
      delete from archived_runners where id in (${expiredRunners(age, limit)}) returning id
    ), forgotten as (
      delete from ends where runner_id in (select id from dropped)
    )
    select count(*) as dropped from dropped`)
  return rows[0]?.dropped ?? 0
}

/** A job that went on after its runner died needs the death as long as it is kept itself. */
export function expiredRunners(age: string, limit: number): Sql {
  return sql`
    select id from archived_runners as runner
     where ended_at <= now() - ${age}::interval
       and not exists (select from archived_jobs
                        where runner_ids <> '{}' and runner_ids @> array[runner.id])
     order by ended_at, id
     limit ${limit}
       for update skip locked`
}
