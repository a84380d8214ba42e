import { endKinds, type Heard, type JobAtEnd, jobAtEndOf, wordKinds } from '../../../../domain/death/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { attemptColumns, jobColumns, type Row, toAttempt, toJob } from '../rows/index.ts'

/** The runner's newest attempt and its job, with what the forge last said of it. */
export async function jobAtEnd(db: Db, runnerId: number): Promise<JobAtEnd | null> {
  const { rows } = await db.query<Row>(sql`
    select ${attemptColumns}, ${jobColumns}
      from attempts
      join jobs on jobs.id = attempts.job_id
     where attempts.runner_id = ${runnerId}
     order by attempts.id desc
     limit 1`)
  const [row] = rows
  if (row === undefined) return null
  const job = toJob(row)
  return jobAtEndOf(toAttempt(row), job, await heardOf(db, job.id))
}

async function heardOf(db: Db, jobId: number): Promise<Heard> {
  const { rows } = await db.query<Heard>(sql`
    select max(at) filter (where kind = any(${[...wordKinds]}::text[])) as "wordAt",
           max(at) filter (where kind = any(${[...endKinds]}::text[])) as "endAt"
      from timeline
     where job_id = ${jobId} and subject = 'job'`)
  return rows[0] ?? { wordAt: null, endAt: null }
}
