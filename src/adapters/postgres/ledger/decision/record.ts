import type { NewDecision } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { json } from '../rows/index.ts'

/** A decision with the facts that it rests on, before it is acted on. */
export async function recordDecision(db: Db, decision: NewDecision): Promise<number> {
  const { rule, jobId, attemptId, runnerId, facts, actions } = decision
  const { rows } = await db.query<{ id: number }>(sql`
    insert into decisions (rule, job_id, attempt_id, runner_id, facts, actions)
    values (${rule}, ${jobId}, ${attemptId}, ${runnerId}, ${json(facts)}, ${json(actions)})
    returning id`)
  return rows[0]?.id as number
}
