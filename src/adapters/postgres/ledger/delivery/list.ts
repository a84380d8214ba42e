import { type DeliveryRow, type DeliveryState, deliveryStates } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'

/** Deliveries without their bodies, newest first. Each state is read from its end of the index. */
export async function listDeliveries(
  db: Db,
  { states = deliveryStates, limit }: { readonly states?: readonly DeliveryState[]; readonly limit: number },
): Promise<DeliveryRow[]> {
  const { rows } = await db.query<DeliveryRow>(sql`
    select newest.*
      from (select distinct unnest(${states}::text[])) as wanted (state)
     cross join lateral (
             select guid, installation, event, subject, received_at as "receivedAt", tries, state, note,
                    settled_at as "settledAt"
               from deliveries
              where deliveries.state = wanted.state
              order by received_at desc, guid desc
              limit ${limit}
           ) as newest
     order by "receivedAt" desc, guid desc
     limit ${limit}`)
  return [...rows]
}
