import { type Db, sql } from '../../connection/index.ts'
import { text } from '../rows/index.ts'

/** Records the outcome of a decision. */
export async function recordOutcome(db: Db, decisionId: number, outcome: string): Promise<void> {
  await db.query(sql`
    update decisions set outcome = ${text(outcome)}, outcome_at = now() where id = ${decisionId}`)
}
