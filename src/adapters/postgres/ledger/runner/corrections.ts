import { type Correction, correctionOf, correctionRule } from '../../../../domain/death/index.ts'
import type { DecisionRow } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { storedJson } from '../rows/index.ts'

type CorrectionRow = Pick<DecisionRow, 'at' | 'rule'> & {
  readonly id: number
  readonly runnerId: number
  readonly facts: unknown
}

/** Corrections of these runners' ends: they name no job, and leave with their runner into the archive. */
export async function corrections(
  db: Db,
  runnerIds: readonly number[],
): Promise<ReadonlyMap<number, Correction>> {
  const { rows } = await db.query<CorrectionRow>(sql`
    select id, runner_id as "runnerId", at, rule, facts
      from decisions
     where runner_id = any (${runnerIds}::bigint[]) and job_id is null and rule = ${correctionRule}
     order by id`)
  const { rows: files } = await db.query<{ id: number; decisions: unknown }>(sql`
    select id, file -> 'decisions' as decisions
      from archived_runners
     where id = any (${runnerIds}::bigint[]) and file -> 'decisions' @> ${JSON.stringify([{ rule: correctionRule }])}::jsonb`)
  const archived = files.flatMap(({ id, decisions }) =>
    storedJson
      .decisions(decisions, { table: 'archived_runners', id, column: 'file' })
      .map(({ at, rule, facts }) => ({ runnerId: id, at, rule, facts })),
  )
  const own = rows.map(({ id, facts, ...row }) => ({
    ...row,
    facts: storedJson.facts(facts, { table: 'decisions', id, column: 'facts' }),
  }))
  const found = new Map<number, Correction>()
  for (const [runnerId, decisions] of Map.groupBy([...archived, ...own], (row) => row.runnerId)) {
    const correction = correctionOf(decisions)
    if (correction !== null) found.set(runnerId, correction)
  }
  return found
}
