import type { Runner } from '../../../../domain/runner/index.ts'
import type { RunnerFilter, RunnerReader, UnreadableRunner } from '../../../../ports/ledger.ts'
import { type Db, type Sql, sql } from '../../connection/index.ts'
import {
  inUnknownRunnerState,
  isOfRow,
  type Row,
  readApart,
  runnerColumns,
  text,
  toRunner,
} from '../rows/index.ts'

type RunnerRow = Runner & { readonly jobId: number | null }
type Listing = Awaited<ReturnType<RunnerReader['runners']>>

/**
 * Live runners in the order in which they came, then those that ended last; each with the job that it has. Where one
 * cannot be read, all are read apart.
 */
export async function listRunners(db: Db, endedLimit: number, filter: RunnerFilter = {}): Promise<Listing> {
  const wanted = sql`
    (select * from runners where ended_at is null ${conditionOf(filter)}
     union all
     (select * from runners where ended_at is not null ${conditionOf(filter)}
       order by ended_at desc, id desc limit ${endedLimit}))`
  try {
    return { rows: await readRunners(db, wanted), unreadable: [] }
  } catch (error) {
    if (!isOfRow(error)) throw error
    return listApart(db, wanted)
  }
}

async function readRunners(db: Db, wanted: Sql): Promise<RunnerRow[]> {
  const { rows } = await db.query<Row>(sql`
    select ${runnerColumns}, attempts.job_id as attempt_job_id
      from ${wanted} as runners
      left join attempts on attempts.runner_id = runners.id and attempts.ended_at is null
     order by ${inOrder}`)
  return rows.map((row) => ({ ...toRunner(row), jobId: row.attempt_job_id as number | null }))
}

const inOrder = sql`
  runners.ended_at desc nulls first, case when runners.ended_at is null then runners.id else -runners.id end`

/** By what can always be read. */
async function listApart(db: Db, wanted: Sql): Promise<Listing> {
  const { rows: keys } = await db.query<Omit<UnreadableRunner, 'error'>>(sql`
    select id, name, pool, host, ended_at is not null as "isEnded" from ${wanted} as runners order by ${inOrder}`)
  const { read, refused } = await readApart(keys, (ids) =>
    readRunners(db, sql`(select * from runners where id = any (${ids}::bigint[]))`),
  )
  return { rows: read, unreadable: refused.map(({ key, error }) => ({ ...key, error })) }
}

/** Only what is asked for stands in the statement: each combination gets the plan that suits it. */
function conditionOf({ pool, states, host, names }: RunnerFilter): Sql {
  const ofPool = pool === undefined ? sql`` : sql`and pool = ${text(pool)}`
  const inStates =
    states === undefined ? sql`` : sql`and (state = any (${states}::text[]) or ${inUnknownRunnerState})`
  const onHost = host === undefined ? sql`` : sql`and host = ${text(host)}`
  const named = names === undefined ? sql`` : sql`and name = any (${names.map(text)}::text[])`
  return sql`${ofPool} ${inStates} ${onHost} ${named}`
}
