import type { RunnerFile } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { toEvidenceRow } from '../job/file.ts'
import { type Row, storedJson } from '../rows/index.ts'

/** The newest archived runner of a name: its death and its own rows; its attempts stand in the files of their jobs. */
export async function archivedRunner(db: Db, name: string): Promise<RunnerFile | null> {
  const { rows } = await db.query<Row>(sql`
    select evidence_id as id, 'runner-death' as kind, id as runner_id, sealed_at, record, file
      from archived_runners
     where name = ${name}
     order by archived_runners.id desc
     limit 1`)
  const row = rows[0]
  if (row === undefined) return null
  const { runner, timeline, decisions } = storedJson.runnerFile(row.file, {
    table: 'archived_runners',
    id: row.runner_id as number,
    column: 'file',
  })
  return { runner, attempts: [], timeline, decisions, evidence: [toEvidenceRow(row)] }
}

/** The archived runner whose death record names this pod. */
export async function archivedRunnerOfPod(db: Db, podUid: string): Promise<string | null> {
  const { rows } = await db.query<{ name: string }>(sql`
    select name from archived_runners where pod_uid = ${podUid} order by id desc limit 1`)
  return rows[0]?.name ?? null
}
