import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Delivery } from '../../../../ports/ledger.ts'
import { prepared, type Sql } from '../../connection/index.ts'
import { createBatcher } from '../batcher.ts'
import type { LedgerContext } from '../context.ts'
import { channels } from '../plan/index.ts'
import { ensureInstallation } from '../pool/installation.ts'
import { text } from '../rows/index.ts'

type Arrived = Pick<Delivery, 'guid' | 'installation' | 'event' | 'subject' | 'body'>
type Stored = 'stored' | 'duplicate'
type Outcome = { readonly stored: Stored } | { readonly refused: unknown }

/** No statement is larger. */
const batchMax = 32

/**
 * Keeps raw webhooks, once per GUID, and wakes who works on them. Those that come while others are on their way go
 * together in the next statement: one transaction with a wake-up commits at a time, whatever the number of
 * connections (of what a bare INSERT does with 15 KB at 16 callers: a quarter one by one, two thirds together).
 */
export function createStoring({
  database,
  installations,
}: LedgerContext): (arrived: Arrived) => Promise<Stored> {
  const storeTogether = createBatcher<Arrived, Outcome>({
    max: batchMax,
    conflict: (a, b) => a.guid === b.guid,
    run: (_, batch) => storeSafely(batch),
  })
  return async (arrived) => {
    await ensureInstallation(database, arrived.installation, installations)
    const outcome = await storeTogether('', arrived)
    if ('refused' in outcome) throw outcome.refused
    return outcome.stored
  }

  /** One that Postgres refuses takes no other with it. */
  async function storeSafely(batch: readonly Arrived[]): Promise<Outcome[]> {
    try {
      return await store(batch)
    } catch (error) {
      if (batch.length === 1 || error instanceof HoldfastError) return batch.map(() => ({ refused: error }))
      return (await Promise.all(batch.map((one) => storeSafely([one])))).flat()
    }
  }

  async function store(batch: readonly Arrived[]): Promise<Outcome[]> {
    const { rows } = await database.query<{ guid: string }>(insertOf(batch))
    const fresh = new Set(rows.map(({ guid }) => guid))
    return batch.map(({ guid }) => ({ stored: fresh.has(guid) ? 'stored' : 'duplicate' }))
  }
}

/** In the order of their arrival, which one transaction alone would not show. */
function insertOf(batch: readonly Arrived[]): Sql {
  const values: unknown[] = [channels.deliveries]
  const rows = batch.map(({ guid, installation, event, subject, body }, n) => {
    const at = values.push(guid, installation, event, subject === null ? null : text(subject), text(body))
    return `($${at - 4}, $${at - 3}, $${at - 2}, $${at - 1}, $${at}, now() + interval '${n} microseconds')`
  })
  return prepared(`store-${batch.length}-deliveries`, {
    text: `
      with stored as (
        insert into deliveries (guid, installation, event, subject, body, received_at)
        values ${rows.join(', ')}
        on conflict (guid) do nothing
        returning guid
      )
      select guid, pg_notify($1, '') from stored`,
    values,
  })
}
