import type { Delivery } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'

/** Deliveries that wait to be worked on, oldest first. */
export async function pendingDeliveries(db: Db, limit: number): Promise<Delivery[]> {
  const { rows } = await db.query<Delivery>(sql`
    select guid, installation, event, body, received_at as "receivedAt", tries
      from deliveries
     where state = 'pending' and retry_at <= now()
     order by received_at, guid
     limit ${limit}`)
  return [...rows]
}
