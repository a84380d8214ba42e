import { type Db, sql } from '../../connection/index.ts'

/** Up to which number something was taken; 0: nothing was. */
export async function readPosition(db: Db, name: string): Promise<number> {
  const { rows } = await db.query<{ at: number }>(sql`select at from positions where name = ${name}`)
  return rows[0]?.at ?? 0
}

/** Forwards only, as `moveCursor`. */
export async function movePosition(db: Db, name: string, to: number): Promise<void> {
  await db.query(sql`
    insert into positions (name, at) values (${name}, ${to})
    on conflict (name) do update set at = greatest(positions.at, excluded.at)`)
}
