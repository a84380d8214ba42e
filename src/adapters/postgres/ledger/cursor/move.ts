import type { Instant } from '../../../../domain/time.ts'
import { type Db, instant, sql } from '../../connection/index.ts'

/** Forwards only: of two that read at the same time, the slower one must not take the other's progress back. */
export async function moveCursor(db: Db, name: string, to: Instant): Promise<void> {
  await db.query(sql`
    insert into cursors (name, at) values (${name}, ${instant(to)})
    on conflict (name) do update set at = greatest(cursors.at, excluded.at)`)
}

/** In the order of their names, so that two who move the same ones never wait for each other in a ring. */
export async function moveCursors(db: Db, names: readonly string[], to: Instant): Promise<void> {
  if (names.length === 0) return
  await db.query(sql`
    insert into cursors (name, at)
    select distinct name, ${instant(to)}::timestamptz from unnest(${names}::text[]) as named (name) order by name
    on conflict (name) do update set at = greatest(cursors.at, excluded.at)`)
}
