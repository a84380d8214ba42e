import type { DeliveryOutcome } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { milliseconds, text } from '../rows/index.ts'

/** What came of a delivery. What is settled stays settled, because two may work on one. */
export async function settleDelivery(db: Db, guid: string, outcome: DeliveryOutcome): Promise<void> {
  if (outcome.kind === 'failed') return postponeDelivery(db, guid, outcome)
  await db.query(sql`
    update deliveries
       set state = ${outcome.kind}, note = ${text(outcome.note)}, tries = tries + 1, settled_at = now()
     where guid = ${guid} and state = 'pending'`)
}

async function postponeDelivery(
  db: Db,
  guid: string,
  { note, retryInMs }: Extract<DeliveryOutcome, { kind: 'failed' }>,
): Promise<void> {
  await db.query(sql`
    update deliveries
       set note = ${text(note)}, tries = tries + 1, retry_at = now() + ${milliseconds(retryInMs)}::interval
     where guid = ${guid} and state = 'pending'`)
}
