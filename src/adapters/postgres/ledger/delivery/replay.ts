import { type Database, sql } from '../../connection/index.ts'
import { notify } from '../plan/index.ts'
import { text } from '../rows/index.ts'

/** Works on a settled delivery once more. Its note stays, as that of one which failed, until there is another. */
export function replayDelivery(
  database: Database,
  guid: string,
): Promise<'replayed' | 'pending' | 'unknown'> {
  return database.transaction(async (tx) => {
    const { rows } = await tx.query<{ state: string }>(sql`
      select state from deliveries where guid = ${text(guid)} for update`)
    if (rows[0] === undefined) return 'unknown'
    if (rows[0].state === 'pending') return 'pending'
    await tx.query(sql`
      update deliveries
         set state = 'pending', tries = 0, retry_at = now(), settled_at = null
       where guid = ${text(guid)}`)
    await notify(tx, 'deliveries')
    return 'replayed'
  })
}
