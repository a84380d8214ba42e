import type { BudgetReading } from '../../../../ports/budget.ts'
import { type Db, type Sql, sql } from '../../connection/index.ts'

export const readingColumns: Sql = sql`calls_max as limit, calls_left as remaining, resets_at as "resetAt"`

export async function readBudget(db: Db, account: string): Promise<BudgetReading | null> {
  const { rows } = await db.query<BudgetReading>(sql`
    select ${readingColumns} from budgets where account = ${account}`)
  return rows[0] ?? null
}
