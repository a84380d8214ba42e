import type { Runner } from '../../../../domain/runner/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { type Row, runnerColumns, toRunner } from '../rows/index.ts'

/** Live runners in the order in which they came, then those that ended last; each with the job that it has. */
export async function listRunners(
  db: Db,
  endedLimit: number,
): Promise<(Runner & { readonly jobId: number | null })[]> {
  const { rows } = await db.query<Row>(sql`
    select ${runnerColumns}, attempts.job_id as attempt_job_id
      from (select * from runners where ended_at is null
            union all
            (select * from runners where ended_at is not null order by ended_at desc, id desc limit ${endedLimit})
           ) as runners
      left join attempts on attempts.runner_id = runners.id and attempts.ended_at is null
     order by runners.ended_at desc nulls first,
              case when runners.ended_at is null then runners.id else -runners.id end`)
  return rows.map((row) => ({ ...toRunner(row), jobId: row.attempt_job_id as number | null }))
}
