import type { Runner } from '../../../../domain/runner/index.ts'
import type { RunnerFilter } from '../../../../ports/ledger.ts'
import { type Db, type Sql, sql } from '../../connection/index.ts'
import { type Row, runnerColumns, text, toRunner } from '../rows/index.ts'

/** Live runners in the order in which they came, then those that ended last; each with the job that it has. */
export async function listRunners(
  db: Db,
  endedLimit: number,
  filter: RunnerFilter = {},
): Promise<(Runner & { readonly jobId: number | null })[]> {
  const wanted = conditionOf(filter)
  const { rows } = await db.query<Row>(sql`
    select ${runnerColumns}, attempts.job_id as attempt_job_id
      from (select * from runners where ended_at is null ${wanted}
            union all
            (select * from runners where ended_at is not null ${wanted}
              order by ended_at desc, id desc limit ${endedLimit})
           ) as runners
      left join attempts on attempts.runner_id = runners.id and attempts.ended_at is null
     order by runners.ended_at desc nulls first,
              case when runners.ended_at is null then runners.id else -runners.id end`)
  return rows.map((row) => ({ ...toRunner(row), jobId: row.attempt_job_id as number | null }))
}

/** Only what is asked for stands in the statement: each combination gets the plan that suits it. */
function conditionOf({ pool, states, host, names }: RunnerFilter): Sql {
  const ofPool = pool === undefined ? sql`` : sql`and pool = ${text(pool)}`
  const inStates = states === undefined ? sql`` : sql`and state = any (${states}::text[])`
  const onHost = host === undefined ? sql`` : sql`and host = ${text(host)}`
  const named = names === undefined ? sql`` : sql`and name = any (${names.map(text)}::text[])`
  return sql`${ofPool} ${inStates} ${onHost} ${named}`
}
