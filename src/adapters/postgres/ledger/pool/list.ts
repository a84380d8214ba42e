import type { Pool } from '../../../../domain/pool/index.ts'
import { type Db, sql } from '../../connection/index.ts'

/** The pools that there are, by name. */
export async function listPools(db: Db): Promise<Pool[]> {
  const { rows } = await db.query<{ spec: Pool }>(sql`
    select spec from pools where removed_at is null order by name`)
  return rows.map(({ spec }) => spec)
}
