import { type Db, type Sql, sql } from '../../connection/index.ts'
import { toDecisionRow, toTimelineRow } from '../job/file.ts'
import { json, type Row, runnerColumns, toRunner } from '../rows/index.ts'

/**
 * Runners that ended before and whose jobs are all archived, the oldest first, without those that are set aside. One
 * that never had a job goes the same way.
 */
export async function endedRunners(db: Db, age: string, limit: number): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(sql`
    select id from runners
     where ${isToArchive(age)}
       and not exists (select from set_aside
                        where kind = 'runner' and set_aside.id = runners.id and retry_at > now())
     order by ended_at, id
     limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** Puts these runners away, each with its death and what else was its own. Gives how many. */
export async function archiveRunners(tx: Db, age: string, candidates: readonly number[]): Promise<number> {
  const { rows } = await tx.query<Row>(sql`
    select ${runnerColumns} from runners
     where id = any (${candidates}::bigint[]) and ${isToArchive(age)}
     order by id
       for update skip locked`)
  const runners = rows.map(toRunner)
  if (runners.length === 0) return 0
  const ids = runners.map(({ id }) => id)
  // The deleting statement returns its rows: nothing is written between reading and deleting them.
  const timeline = await tx.query<Row>(sql`
    delete from timeline where subject = 'runner' and subject_id = any (${ids}::bigint[]) and job_id is null
    returning *`)
  const decisions = await tx.query<Row>(sql`
    delete from decisions where runner_id = any (${ids}::bigint[]) and job_id is null returning *`)
  const files = runners.map((runner) => ({
    runner,
    timeline: byId(timeline.rows.filter((row) => row.subject_id === runner.id)).map(toTimelineRow),
    decisions: byId(decisions.rows.filter((row) => row.runner_id === runner.id)).map(toDecisionRow),
  }))
  await tx.query(sql`
    insert into archived_runners (id, name, ended_at, evidence_id, sealed_at, record, file)
    select runners.id, runners.name, runners.ended_at, evidence.id, evidence.sealed_at, evidence.record, own.file
      from unnest(${ids}::bigint[], ${files.map((file) => json(file))}::jsonb[]) as own (id, file)
      join runners on runners.id = own.id
      join evidence on evidence.id = runners.evidence_id`)
  await tx.query(sql`delete from runners where id = any (${ids}::bigint[])`) // their evidence goes with them
  return runners.length
}

function isToArchive(age: string): Sql {
  return sql`
    ended_at <= now() - ${age}::interval
    and not exists (select from attempts where attempts.runner_id = runners.id)`
}

function byId(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (a.id as number) - (b.id as number))
}
