import { type Correction, correctionOf, correctionRule } from '../../../../domain/death/index.ts'
import type { DecisionRow } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'

type Told = Pick<DecisionRow, 'at' | 'rule' | 'facts'> & { readonly runnerId: number }

/** Corrections of these runners' ends: they name no job, and leave with their runner into the archive. */
export async function corrections(
  db: Db,
  runnerIds: readonly number[],
): Promise<ReadonlyMap<number, Correction>> {
  const { rows } = await db.query<Told>(sql`
    select runner_id as "runnerId", at, rule, facts
      from decisions
     where runner_id = any (${runnerIds}::bigint[]) and job_id is null and rule = ${correctionRule}
     order by id`)
  const { rows: files } = await db.query<{ id: number; decisions: DecisionRow[] }>(sql`
    select id, file -> 'decisions' as decisions
      from archived_runners
     where id = any (${runnerIds}::bigint[]) and file -> 'decisions' @> ${JSON.stringify([{ rule: correctionRule }])}::jsonb`)
  const archived = files.flatMap(({ id, decisions }) =>
    decisions.map(({ at, rule, facts }) => ({ runnerId: id, at, rule, facts })),
  )
  const found = new Map<number, Correction>()
  for (const [runnerId, told] of Map.groupBy([...archived, ...rows], (row) => row.runnerId)) {
    const correction = correctionOf(told)
    if (correction !== null) found.set(runnerId, correction)
  }
  return found
}
