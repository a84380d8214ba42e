import { type Db, sql } from '../../connection/index.ts'

/** Takes away runners that ended before and whose jobs are all archived; their deaths go into those jobs' files. */
export async function dropRunners(tx: Db, age: string, limit: number): Promise<void> {
  const { rows } = await tx.query<{ id: number }>(sql`
    select id from runners
     where ended_at <= now() - ${age}::interval
       and not exists (select from attempts where attempts.runner_id = runners.id)
     order by ended_at, id
     limit ${limit}
       for update skip locked`)
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return
  await fileDeaths(tx, ids)
  await tx.query(sql`
    delete from timeline where subject = 'runner' and subject_id = any (${ids}::bigint[]) and job_id is null`)
  await tx.query(sql`delete from decisions where runner_id = any (${ids}::bigint[]) and job_id is null`)
  await tx.query(sql`delete from runners where id = any (${ids}::bigint[])`) // their death records go with them
}

/** Only jobs that were archived while their runner lived lack its death. */
async function fileDeaths(tx: Db, runnerIds: readonly number[]): Promise<void> {
  await tx.query(sql`
    update archived_jobs
       set file = jsonb_set(file, '{evidence}', (file -> 'evidence') || deaths.records),
           living = array(select unnest(living) except select unnest(${runnerIds}::bigint[]))
      from (
             select archived.id,
                    jsonb_agg(jsonb_build_object(
                      'id', evidence.id, 'kind', evidence.kind, 'runnerId', evidence.runner_id,
                      'sealedAt', floor(extract(epoch from evidence.sealed_at) * 1000)::bigint,
                      'record', evidence.record) order by evidence.id) as records
               from archived_jobs as archived
               join evidence on evidence.kind = 'runner-death' and evidence.runner_id = any (archived.living)
              where archived.living <> '{}' and archived.living && ${runnerIds}::bigint[]
                and evidence.runner_id = any (${runnerIds}::bigint[])
              group by archived.id
           ) as deaths
     where archived_jobs.id = deaths.id`)
}
