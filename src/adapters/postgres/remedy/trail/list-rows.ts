import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { TrailRow } from '../../../../domain/trail/index.ts'
import { rowSchema } from '../../../remedy-schemas/index.ts'
import { type Db, sql } from '../../connection/index.ts'

interface StoredRow {
  readonly number: number
  readonly previous: string
  readonly hash: string
  readonly entry: unknown
}

/** The rows after this number, oldest first. Throws E_TRAIL_BROKEN where one has not the form of a row. */
export async function listRows(db: Db, after: number, place: string): Promise<readonly TrailRow[]> {
  const { rows } = await db.query<StoredRow>(sql`
    select number, previous, hash, entry from remedy_trail where number > ${after} order by number`)
  return rows.map(({ entry, ...chain }) => {
    const row = rowSchema.safeParse({ ...Object(entry), ...chain })
    if (row.success) return row.data
    throw new HoldfastError('E_TRAIL_BROKEN', {
      place,
      problem: `row ${chain.number} has not the form of a row`,
    })
  })
}
