import { type Db, sql } from '../../connection/index.ts'
import { text } from '../rows/index.ts'

/** The GUIDs among these that were stored. */
export async function knownDeliveries(db: Db, guids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ guid: string }>(sql`
    select guid from deliveries where guid = any (${guids.map(text)}::text[])`)
  return new Set(rows.map(({ guid }) => guid))
}
