import type { DecisionRow, EvidenceRow, JobFile, TimelineRow } from '../../../../ports/ledger.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { attemptColumns, jobColumns, type Row, storedJson, toAttempt, toJob } from '../rows/index.ts'

/** All that is known about one job, open, ended or archived, in one snapshot. */
export function jobFile(database: Database, jobId: number): Promise<JobFile | null> {
  return database.transaction(
    async (tx) => (await readFiles(tx, [jobId]))[0] ?? (await readArchived(tx, jobId)),
    { isolation: 'repeatable read' },
  )
}

/** How its runners died stands with them, or still in their own rows. */
async function readArchived(tx: Db, jobId: number): Promise<JobFile | null> {
  const { rows } = await tx.query<{ file: unknown; runner_ids: number[] }>(sql`
    select file, runner_ids from archived_jobs where id = ${jobId}`)
  const archived = rows[0]
  if (archived === undefined) return null
  const file = storedJson.jobFile(archived.file, { table: 'archived_jobs', id: jobId, column: 'file' })
  if (archived.runner_ids.length === 0) return file
  const deaths = await tx.query<Row>(sql`
    select id, kind, runner_id, sealed_at, record
      from evidence
     where kind = 'runner-death' and runner_id = any (${archived.runner_ids}::bigint[])
    union all
    select evidence_id, 'runner-death', id, sealed_at, record
      from archived_runners
     where id = any (${archived.runner_ids}::bigint[])`)
  const evidence = [...file.evidence, ...deaths.rows.map(toEvidenceRow)].toSorted((a, b) => a.id - b.id)
  return { ...file, evidence }
}

/** The files of jobs that are not archived, in the order of their ids. */
export async function readFiles(tx: Db, jobIds: readonly number[]): Promise<JobFile[]> {
  const jobs = await tx.query<Row>(sql`
    select ${jobColumns} from jobs where id = any (${jobIds}::bigint[]) order by id`)
  const attempts = await tx.query<Row>(sql`
    select ${attemptColumns} from attempts where job_id = any (${jobIds}::bigint[]) order by id`)
  const timeline = await tx.query<Row>(sql`
    select * from timeline where job_id = any (${jobIds}::bigint[]) order by id`)
  const decisions = await tx.query<Row>(sql`
    select * from decisions where job_id = any (${jobIds}::bigint[]) order by id`)
  // Evidence of how the attempts ended and how their runners died.
  const evidence = await tx.query<Row>(sql`
    select attempts.job_id, evidence.*
      from attempts
      join runners on runners.id = attempts.runner_id
      join evidence on evidence.id in (attempts.evidence_id, runners.evidence_id)
     where attempts.job_id = any (${jobIds}::bigint[])
     order by evidence.id`)
  return jobs.rows.map(toJob).map((job) => ({
    job,
    attempts: attempts.rows.map(toAttempt).filter(({ jobId }) => jobId === job.id),
    timeline: timeline.rows.filter((row) => row.job_id === job.id).map(toTimelineRow),
    decisions: decisions.rows.filter((row) => row.job_id === job.id).map(toDecisionRow),
    evidence: once(evidence.rows.filter((row) => row.job_id === job.id)).map(toEvidenceRow),
    archived: false,
  }))
}

/** Two attempts may rest on the same death. */
function once(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

export function toTimelineRow(row: Row): TimelineRow {
  const id = row.id as number
  return {
    id,
    at: row.at as number,
    subject: row.subject as TimelineRow['subject'],
    subjectId: row.subject_id as number,
    jobId: row.job_id as number | null,
    kind: row.kind as string,
    source: row.source as string,
    rule: row.rule as string | null,
    facts: storedJson.facts(row.facts, { table: 'timeline', id, column: 'facts' }),
  }
}

export function toDecisionRow(row: Row): DecisionRow {
  const id = row.id as number
  return {
    id,
    at: row.at as number,
    rule: row.rule as string,
    jobId: row.job_id as number | null,
    attemptId: row.attempt_id as number | null,
    runnerId: row.runner_id as number | null,
    facts: storedJson.facts(row.facts, { table: 'decisions', id, column: 'facts' }),
    actions: storedJson.actions(row.actions, { table: 'decisions', id, column: 'actions' }),
    outcome: row.outcome as string | null,
  }
}

export function toEvidenceRow(row: Row): EvidenceRow {
  const id = row.id as number
  return {
    id,
    kind: row.kind as EvidenceRow['kind'],
    runnerId: row.runner_id as number | null,
    sealedAt: row.sealed_at as number,
    record: storedJson.facts(row.record, { table: 'evidence', id, column: 'record' }),
  }
}
