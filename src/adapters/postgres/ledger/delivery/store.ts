import type { Delivery } from '../../../../ports/ledger.ts'
import { sql } from '../../connection/index.ts'
import { channels } from '../carry-out/index.ts'
import type { LedgerContext } from '../context.ts'
import { ensureInstallation } from '../pool/installation.ts'
import { text } from '../rows/index.ts'

/** Keeps a raw webhook, once per GUID, and wakes who works on it. */
export async function storeDelivery(
  { database, installations }: LedgerContext,
  { guid, installation, event, body }: Pick<Delivery, 'guid' | 'installation' | 'event' | 'body'>,
): Promise<'stored' | 'duplicate'> {
  await ensureInstallation(database, installation, installations)
  const { rowCount } = await database.query(sql`
    with stored as (
      insert into deliveries (guid, installation, event, body)
      values (${guid}, ${installation}, ${event}, ${text(body)})
      on conflict (guid) do nothing
      returning guid
    )
    select pg_notify(${channels.deliveries}, '') from stored`)
  return rowCount === 1 ? 'stored' : 'duplicate'
}
