import type { Instant } from '../../../../domain/time.ts'
import { type Db, sql } from '../../connection/index.ts'

export async function readCursor(db: Db, name: string): Promise<Instant | null> {
  const { rows } = await db.query<{ at: number }>(sql`select at from cursors where name = ${name}`)
  return rows[0]?.at ?? null
}

/** All whose names begin so. */
export async function readCursors(db: Db, prefix: string): Promise<ReadonlyMap<string, Instant>> {
  const { rows } = await db.query<{ name: string; at: number }>(
    sql`select name, at from cursors where starts_with(name, ${prefix})`,
  )
  return new Map(rows.map(({ name, at }) => [name, at]))
}
