import type { DeliveryOutcome } from '../../../../ports/ledger.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import { milliseconds, text } from '../rows/index.ts'

/** Records the outcome of a delivery. A settled one stays settled, because two processes may work on it. */
export async function settleDelivery(db: Db, guid: string, outcome: DeliveryOutcome): Promise<void> {
  if (outcome.kind === 'failed') return postponeDelivery(db, guid, outcome)
  await db.query(sql`
    update deliveries
       set state = ${outcome.kind}, note = ${text(outcome.note)}, tries = tries + 1, settled_at = now()
     where guid = ${guid} and state = 'pending'`)
}

/** Records the outcomes of deliveries that were processed together. */
export async function settleAll(
  db: Db,
  settled: readonly { readonly guid: string; readonly kind: 'done' | 'ignored'; readonly note: string }[],
): Promise<void> {
  if (settled.length === 0) return
  await db.query(
    prepared(
      'settle-deliveries',
      sql`
    update deliveries
       set state = settled.kind, note = settled.note, tries = tries + 1, settled_at = now()
      from unnest(
             ${settled.map(({ guid }) => guid)}::text[],
             ${settled.map(({ kind }) => kind)}::text[],
             ${settled.map(({ note }) => text(note))}::text[]
           ) as settled (guid, kind, note)
     where deliveries.guid = settled.guid and deliveries.state = 'pending'`,
    ),
  )
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
