import {
  endKinds,
  eventKinds,
  type JobAtEnd,
  type JobEventTimes,
  jobAtEndOf,
} from '../../../../domain/death/index.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import { attemptColumns, jobColumns, type Row, toAttempt, toJob } from '../rows/index.ts'

/** The runner's newest attempt and its job, with what the forge last said of it. */
export async function jobAtEnd(db: Db, runnerId: number): Promise<JobAtEnd | null> {
  const { rows } = await db.query<Row & JobEventTimes>(
    prepared(
      'job-at-end',
      sql`
    select ${attemptColumns}, ${jobColumns}, reported.*
      from attempts
      join jobs on jobs.id = attempts.job_id
     cross join lateral (
             select max(at) filter (where kind = any(${[...eventKinds]}::text[])) as "eventAt",
                    max(at) filter (where kind = any(${[...endKinds]}::text[])) as "endAt"
               from timeline
              where job_id = jobs.id and subject = 'job'
           ) as reported
     where attempts.runner_id = ${runnerId}
     order by attempts.id desc
     limit 1`,
    ),
  )
  const [row] = rows
  return row === undefined ? null : jobAtEndOf(toAttempt(row), toJob(row), row)
}
