import type { NewIncident } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { hold } from '../queue/hold.ts'
import { text } from '../rows/index.ts'

/** Opens an incident, or notes that it was seen again, and holds its jobs. The installation is known. */
export async function openIncident(
  tx: Db,
  incident: NewIncident,
  holdMs: number,
): Promise<'opened' | 'known'> {
  const { kind, installation, scope, reason } = incident
  const key = text(incident.key)
  const { rows } = await tx.query<{ id: number; opened: boolean }>(sql`
    insert into incidents (kind, installation, scope, key, reason)
    values (${kind}, ${installation}, ${scope}, ${key}, ${text(reason)})
    on conflict (installation, scope, key, kind) where closed_at is null do update
       set reason = excluded.reason, last_seen_at = now(), times_seen = incidents.times_seen + 1
    returning id, times_seen = 1 as opened`)
  const { id, opened } = rows[0] as { id: number; opened: boolean }
  if (scope === 'repository' || scope === 'account')
    await hold(tx, { kind: scope, key, reason, incidentId: id }, holdMs)
  return opened ? 'opened' : 'known'
}
