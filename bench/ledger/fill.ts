import pg from 'pg'
import type { ClaimingRunner } from '../../src/ports/ledger.ts'
import { benchPool } from './ground.ts'

/** Queued jobs over so many repositories, tagged as the ledger tags them. */
export async function fillQueue(client: pg.Client, jobs: number, repositories: number): Promise<void> {
  await client.query(`insert into installations (name) values ('bench') on conflict do nothing`)
  await client.query(
    `insert into jobs (installation, forge_job_id, run_id, run_attempt, repository, visibility, name, labels, pool, priority,
                       share_tag, check_at)
     select 'bench', coalesce((select max(forge_job_id) from jobs), 0) + n, n, 1, 'acme/repo' || n % $2, 'private', 'test',
            '{self-hosted}', $3, 2, n / $2, now() + interval '1 day'
       from generate_series(1, $1::bigint) n`,
    [jobs, repositories, benchPool],
  )
}

/** Runners that ask for work; each is given one job. */
export async function fillRunners(client: pg.Client, runners: number): Promise<ClaimingRunner[]> {
  await client.query('set session_replication_role = replica') // they begin where nobody begins
  const { rows } = await client.query<{ id: string; name: string }>(
    `insert into runners (name, pool, host, state, identity_hash, check_at, polled_at)
     select 'bench-' || gen_random_uuid(), $2, 'bench', 'polling', '', now() + interval '1 day', now()
       from generate_series(1, $1::bigint)
     returning id, name`,
    [runners, benchPool],
  )
  await client.query('set session_replication_role = origin')
  return rows.map(({ id, name }) => ({ id: Number(id), name, pool: benchPool }))
}

/** Work that is over, straight into the tables that claims read: worse than after the archive has run. */
export async function fillHistory(client: pg.Client, jobs: number): Promise<void> {
  await client.query(`insert into installations (name) values ('bench') on conflict do nothing`)
  await client.query('set session_replication_role = replica') // nobody saw them begin
  await client.query(
    `insert into jobs (installation, forge_job_id, run_id, run_attempt, repository, name, labels, pool, priority,
                       share_tag, state, conclusion, check_at, ended_at)
     select 'bench', n, n, 1, 'acme/repo' || n % 200, 'test', '{self-hosted}', $2, 2, n, 'completed', 'success',
            now(), now()
       from generate_series(1, $1::bigint) n`,
    [jobs, benchPool],
  )
  await client.query('set session_replication_role = origin')
  await client.query('vacuum analyze jobs')
}

/** The narrowest table that a claim loop can work on. */
export async function fillRaw(client: pg.Client, jobs: number): Promise<void> {
  await client.query('drop table if exists raw_jobs')
  await client.query(`create table raw_jobs (id bigint primary key, state text not null)`)
  await client.query(`create index on raw_jobs (id) where state = 'queued'`)
  await client.query(`insert into raw_jobs select n, 'queued' from generate_series(1, $1::bigint) n`, [jobs])
  await client.query('vacuum analyze raw_jobs')
}

/** The fastest honest claim: one prepared statement, one row, one commit. */
export const rawClaim = {
  name: 'claim',
  text: `update raw_jobs set state = 'claimed'
          where id = (select id from raw_jobs where state = 'queued' order by id limit 1 for update skip locked)
          returning id`,
}

/** The same on the ledger's own table, in the order of its queue. */
export const rawClaimOfJobs = {
  name: 'claim-of-jobs',
  text: `update jobs set state = 'claimed'
          where id = (select id from jobs where pool = '${benchPool}' and state = 'queued' and quarantine is null
                       order by priority, share_tag, id limit 1 for update skip locked)
          returning id`,
}

/** A job and the word that it is there, in one commit. */
export const rawInsert = {
  name: 'insert',
  text: `with job as (insert into raw_jobs values ($1, 'queued') returning id) select pg_notify('raw', '') from job`,
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
