import type { JobFile } from '../../../../ports/ledger.ts'
import { type Db, instant, type Sql, sql } from '../../connection/index.ts'
import { readFiles } from '../job/file.ts'
import { json } from '../rows/index.ts'

/** Jobs that ended before, the oldest first, without those that are set aside. */
export async function endedJobs(db: Db, age: string, limit: number): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(sql`
    select id from jobs
     where ${isToArchive(age)}
       and not exists (select from set_aside where kind = 'job' and set_aside.id = jobs.id and retry_at > now())
     order by ended_at, id
     limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** Puts each of these jobs with all that belongs to it into one document, and takes away the rows. Gives how many. */
export async function archiveJobs(tx: Db, age: string, candidates: readonly number[]): Promise<number> {
  const ids = await lockEnded(tx, age, candidates)
  if (ids.length === 0) return 0
  await insertFiles(tx, await readFiles(tx, ids))
  await tx.query(sql`delete from timeline where job_id = any (${ids}::bigint[])`)
  await tx.query(sql`delete from decisions where job_id = any (${ids}::bigint[])`)
  await tx.query(sql`delete from attempts where job_id = any (${ids}::bigint[])`) // what ended them goes with them
  await tx.query(sql`delete from jobs where id = any (${ids}::bigint[])`)
  return ids.length
}

async function lockEnded(tx: Db, age: string, candidates: readonly number[]): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(sql`
    select id from jobs
     where id = any (${candidates}::bigint[]) and ${isToArchive(age)}
     order by id
       for update skip locked`)
  return rows.map(({ id }) => id)
}

/** A job stays while a runner of it lives: its attempt has the name under which the forge knows that runner. */
function isToArchive(age: string): Sql {
  return sql`
    ended_at <= now() - ${age}::interval
    and not exists (select from attempts join runners on runners.id = attempts.runner_id
                     where attempts.job_id = jobs.id
                       and (attempts.ended_at is null or runners.ended_at is null))`
}

/**
 * A job has one life. Where an earlier version gave it a second one, that goes next to the first. The deaths of
 * its runners stay in the files of the runners: a log tail is kept once.
 */
async function insertFiles(tx: Db, files: readonly JobFile[]): Promise<void> {
  const archived = files.map((file) => ({
    ...file,
    evidence: file.evidence.filter(({ kind }) => kind !== 'runner-death'),
    archived: true,
  }))
  await tx.query(sql`
    insert into archived_jobs (id, installation, forge_job_id, run_id, repository, seen_at, ended_at, file, runner_ids,
                               life)
    select id, installation, forge_job_id, run_id, repository, seen_at, ended_at, file, runner_ids::bigint[],
           1 + coalesce((select max(life) from archived_jobs as before
                          where before.installation = archived.installation
                            and before.forge_job_id = archived.forge_job_id), 0)
      from unnest(
             ${archived.map(({ job }) => job.id)}::bigint[],
             ${archived.map(({ job }) => job.installation)}::text[],
             ${archived.map(({ job }) => job.forgeJobId)}::bigint[],
             ${archived.map(({ job }) => job.runId)}::bigint[],
             ${archived.map(({ job }) => job.repository)}::text[],
             ${archived.map(({ job }) => instant(job.seenAt))}::timestamptz[],
             ${archived.map(({ job }) => instant(job.endedAt as number))}::timestamptz[],
             ${archived.map((file) => json(file))}::jsonb[],
             ${archived.map(({ attempts }) => `{${runnersOf(attempts).join()}}`)}::text[]
           ) as archived (id, installation, forge_job_id, run_id, repository, seen_at, ended_at, file, runner_ids)`)
}

function runnersOf(attempts: JobFile['attempts']): number[] {
  return [...new Set(attempts.map(({ runnerId }) => runnerId))]
}
