import type { DecisionFilter, ListedDecision, ListedDecisions } from '../../../../ports/ledger.ts'
import { type Db, type Sql, sql } from '../../connection/index.ts'
import { toDecisionRow } from '../job/file.ts'
import { milliseconds, type Row, readApart, text } from '../rows/index.ts'

/** Decisions newest first, with the names of their subjects. */
export async function listDecisions(db: Db, filter: DecisionFilter): Promise<ListedDecisions> {
  const { rows: keys } = await db.query<{ id: number }>(sql`
    select decisions.id from ${namedDecisions} where ${conditionOf(filter)}
     order by decisions.id desc limit ${filter.limit}`)
  const { read, refused } = await readApart(keys, (ids) => readDecisions(db, ids))
  return { rows: read, unreadable: refused.map(({ key }) => key.id) }
}

/** A runner that never had a row is known by the name that its host gave. */
const runnerName = sql`coalesce(runners.name, decisions.facts -> 'hosted' ->> 'name')`
const poolName = sql`coalesce(runners.pool, jobs.pool, decisions.facts -> 'hosted' ->> 'pool')`
const namedDecisions = sql`decisions
      left join jobs on jobs.id = decisions.job_id
      left join runners on runners.id = decisions.runner_id`

async function readDecisions(db: Db, ids: readonly number[]): Promise<ListedDecision[]> {
  const { rows } = await db.query<Row>(sql`
    select decisions.*, jobs.repository, ${runnerName} as runner, ${poolName} as pool
      from ${namedDecisions}
     where decisions.id = any (${ids}::bigint[])
     order by decisions.id desc`)
  return rows.map((row) => ({
    ...toDecisionRow(row),
    repository: row.repository as string | null,
    runner: row.runner as string | null,
    pool: row.pool as string | null,
  }))
}

function conditionOf({ withinMs, jobId, runner, rule, pool }: DecisionFilter): Sql {
  const ofJob = jobId === undefined ? sql`` : sql`and decisions.job_id = ${jobId}`
  const ofRunner = runner === undefined ? sql`` : sql`and ${runnerName} = ${text(runner)}`
  const ofRule = rule === undefined ? sql`` : sql`and decisions.rule = ${text(rule)}`
  const ofPool = pool === undefined ? sql`` : sql`and ${poolName} = ${text(pool)}`
  return sql`decisions.at >= now() - ${milliseconds(withinMs)}::interval ${ofJob} ${ofRunner} ${ofRule} ${ofPool}`
}
