import type { RunnerFile } from '../../../../ports/ledger.ts'
import { runnerAttemptsMax } from '../../../../ports/ledger.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { toDecisionRow, toEvidenceRow, toTimelineRow } from '../job/file.ts'
import {
  attemptColumns,
  jobColumns,
  type Row,
  runnerColumns,
  text,
  toAttempt,
  toJob,
  toRunner,
} from '../rows/index.ts'
import { archivedRunner } from './archived.ts'

/** All that is known about one runner, in one snapshot. */
export function runnerFile(database: Database, name: string): Promise<RunnerFile | null> {
  return database.transaction(
    async (tx) => {
      const found = await findByAnyName(tx, text(name))
      return found === undefined ? archivedRunner(tx, text(name)) : readFile(tx, found)
    },
    { isolation: 'repeatable read' },
  )
}

/** A name of its own counts before one that the forge gave to another. */
async function findByAnyName(tx: Db, name: string): Promise<Row | undefined> {
  const { rows } = await tx.query<Row>(sql`
    select ${runnerColumns}
      from runners
     where id in (select id from runners where name = ${name}
                  union
                  select runner_id from attempts where forge_runner_name = ${name})
     order by (name = ${name}) desc, id desc
     limit 1`)
  return rows[0]
}

async function readFile(tx: Db, row: Row): Promise<RunnerFile> {
  const runner = toRunner(row)
  const attempts = await tx.query<Row>(sql`
    select ${attemptColumns}, ${jobColumns}
      from (select * from attempts where runner_id = ${runner.id} order by id desc limit ${runnerAttemptsMax})
           as attempts
      join jobs on jobs.id = attempts.job_id
     order by attempts.id`)
  const attemptIds = attempts.rows.map(({ attempt_id }) => attempt_id as number)
  const jobIds = [...new Set(attempts.rows.map(({ job_id }) => job_id as number))]
  // Rows that name a job are found by the job: the runner's own index has those alone that name none.
  const timeline = await tx.query<Row>(sql`
    select * from timeline where subject = 'runner' and subject_id = ${runner.id}
    union
    select * from timeline
     where job_id = any (${jobIds}::bigint[]) and subject = 'attempt' and subject_id = any (${attemptIds}::bigint[])
     order by id`)
  const decisions = await tx.query<Row>(sql`
    select * from decisions where runner_id = ${runner.id} and job_id is null
    union all
    select * from decisions
     where job_id = any (${jobIds}::bigint[])
       and (runner_id = ${runner.id} or attempt_id = any (${attemptIds}::bigint[]))
     order by id`)
  const proofs = attempts.rows.map(({ attempt_evidence_id }) => attempt_evidence_id as number | null)
  const evidence = await tx.query<Row>(sql`
    select * from evidence where id = any (${known([runner.evidenceId, ...proofs])}::bigint[]) order by id`)
  return {
    runner,
    attempts: attempts.rows.map((each) => ({ attempt: toAttempt(each), job: toJob(each) })),
    timeline: timeline.rows.map(toTimelineRow),
    decisions: decisions.rows.map(toDecisionRow),
    evidence: evidence.rows.map(toEvidenceRow),
  }
}

function known(ids: readonly (number | null)[]): number[] {
  return [...new Set(ids.filter((id) => id !== null))]
}
