import type { BudgetReading } from '../../../../ports/budget.ts'
import { instant, sql } from '../../connection/index.ts'
import type { LedgerContext } from '../context.ts'
import { ensureInstallation } from '../pool/installation.ts'
import { milliseconds } from '../rows/index.ts'
import { readBudget, readingColumns } from './read.ts'

/** Forges tell the end of one window in whole seconds, and not always the same. */
const sameWindowMs = 5_000

/** Of one window the least counts, because answers overtake each other; else the newer window. */
export async function noteBudget(
  { database, installations }: LedgerContext,
  installation: string,
  { limit, remaining, resetAt }: BudgetReading,
): Promise<BudgetReading> {
  await ensureInstallation(database, installation, installations)
  const tolerance = sql`${milliseconds(sameWindowMs)}::interval`
  const { rows } = await database.query<BudgetReading>(sql`
    insert into budgets (installation, calls_max, calls_left, resets_at)
    values (${installation}, ${limit}, ${remaining}, ${instant(resetAt)})
    on conflict (installation) do update
       set calls_max = excluded.calls_max, calls_left = excluded.calls_left, resets_at = excluded.resets_at,
           noted_at = now()
     where excluded.resets_at > budgets.resets_at + ${tolerance}
        or (excluded.resets_at >= budgets.resets_at - ${tolerance} and excluded.calls_left < budgets.calls_left)
    returning ${readingColumns}`)
  return rows[0] ?? ((await readBudget(database, installation)) as BudgetReading)
}
