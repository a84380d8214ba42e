import type { Instant } from '../../../../domain/time.ts'
import { type Db, sql } from '../../connection/index.ts'

export async function readCursor(db: Db, name: string): Promise<Instant | null> {
  const { rows } = await db.query<{ at: number }>(sql`select at from cursors where name = ${name}`)
  return rows[0]?.at ?? null
}
