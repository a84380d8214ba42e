import type { BudgetReading } from '../../../../ports/budget.ts'
import { type Db, instant, sql } from '../../connection/index.ts'
import { milliseconds } from '../rows/index.ts'
import { readBudget, readingColumns } from './read.ts'

/** Forges report the end of one window in whole seconds, and not always the same. */
const sameWindowMs = 5_000

/** Of one window the least counts, because answers overtake each other; else the newer window. */
export async function noteBudget(
  db: Db,
  account: string,
  { limit, remaining, resetAt }: BudgetReading,
): Promise<BudgetReading> {
  const tolerance = sql`${milliseconds(sameWindowMs)}::interval`
  const { rows } = await db.query<BudgetReading>(sql`
    insert into budgets (account, calls_max, calls_left, resets_at)
    values (${account}, ${limit}, ${remaining}, ${instant(resetAt)})
    on conflict (account) do update
       set calls_max = excluded.calls_max, calls_left = excluded.calls_left, resets_at = excluded.resets_at,
           noted_at = now()
     where excluded.resets_at > budgets.resets_at + ${tolerance}
        or (excluded.resets_at >= budgets.resets_at - ${tolerance} and excluded.calls_left < budgets.calls_left)
    returning ${readingColumns}`)
  return rows[0] ?? ((await readBudget(db, account)) as BudgetReading)
}
