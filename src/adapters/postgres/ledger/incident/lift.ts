import type { NewIncident } from '../../../../ports/ledger.ts'
import { type Database, sql } from '../../connection/index.ts'
import { text } from '../rows/index.ts'
import { closing, wakeFreed } from './closing.ts'

/** Closes an open incident; its jobs go on at once. */
export function liftIncident(
  database: Database,
  { kind, installation, scope, key }: Omit<NewIncident, 'reason'>,
): Promise<'lifted' | 'none'> {
  const which = sql`
    kind = ${kind} and installation = ${installation} and scope = ${scope} and lower(key) = lower(${text(key)}::text)`
  return database.transaction(async (tx) => {
    const { rows } = await tx.query<{ closed: number }>(sql`
      with ${closing(which)}, woken as (${wakeFreed})
      select (select count(*) from closed) as closed, (select count(*) from woken) as woken`)
    return (rows[0]?.closed ?? 0) > 0 ? 'lifted' : 'none'
  })
}
