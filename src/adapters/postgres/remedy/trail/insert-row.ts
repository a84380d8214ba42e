import type { TrailRow } from '../../../../domain/trail/index.ts'
import { type Db, sql } from '../../connection/index.ts'

/** The row that follows the head; a trigger refuses any other. */
export async function insertRow(tx: Db, row: TrailRow): Promise<void> {
  const { number, previous, hash, ...entry } = row
  await tx.query(sql`
    insert into remedy_trail (number, previous, hash, entry)
    values (${number}, ${previous}, ${hash}, ${JSON.stringify(entry)})`)
}
