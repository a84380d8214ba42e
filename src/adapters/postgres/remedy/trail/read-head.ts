import { emptyHead, type TrailHead } from '../../../../domain/trail/index.ts'
import { type Db, sql } from '../../connection/index.ts'

/** Number and hash of the last row, as its own table has them. */
export async function readHead(db: Db): Promise<TrailHead> {
  const { rows } = await db.query<TrailHead>(sql`select count, hash from remedy_trail_head`)
  return rows[0] ?? emptyHead
}
