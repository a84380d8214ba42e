import type { Claim } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { attemptColumns, jobColumns, type Row, toAttempt, toJob } from '../rows/index.ts'

/** The runner's open attempt with its job. */
export async function openAttempt(db: Db, runnerId: number): Promise<Claim | null> {
  const { rows } = await db.query<Row>(sql`
    select ${attemptColumns}, ${jobColumns}
      from attempts
      join jobs on jobs.id = attempts.job_id
     where attempts.runner_id = ${runnerId} and attempts.ended_at is null`)
  return rows[0] === undefined ? null : { attempt: toAttempt(rows[0]), job: toJob(rows[0]) }
}
