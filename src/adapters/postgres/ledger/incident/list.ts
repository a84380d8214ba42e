import { type Incident, incidentKinds, incidentScopes } from '../../../../domain/incident/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { oneOf, type Row } from '../rows/index.ts'

/** Those that are open, and those that ended lately up to the limit; the newest first. */
export async function listIncidents(db: Db, closedLimit: number): Promise<Incident[]> {
  const { rows } = await db.query<Row>(sql`
    with closed as (
      select * from incidents where closed_at is not null order by closed_at desc, id desc limit ${closedLimit}
    )
    select * from incidents where closed_at is null
    union all
    select * from closed
    order by opened_at desc, id desc`)
  return rows.map(toIncident)
}

function toIncident(row: Row): Incident {
  const id = row.id as number
  const at = (column: string) => ({ table: 'incidents', id, column })
  return {
    id,
    kind: oneOf(incidentKinds, row.kind, at('kind')),
    installation: row.installation as string,
    scope: oneOf(incidentScopes, row.scope, at('scope')),
    key: row.key as string,
    reason: row.reason as string,
    openedAt: row.opened_at as number,
    lastSeenAt: row.last_seen_at as number,
    timesSeen: row.times_seen as number,
    closedAt: row.closed_at as number | null,
  }
}
