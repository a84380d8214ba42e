import { isError } from '../../../../domain/errors/index.ts'
import { type Incident, incidentKinds, incidentScopes } from '../../../../domain/incident/index.ts'
import type { Log } from '../../../../ports/log.ts'
import { type Db, sql } from '../../connection/index.ts'
import { oneOf, type Row } from '../rows/index.ts'

/** Bounds the ids that are remembered (I10). */
const loggedMax = 1_000

/**
 * Lists open incidents, and closed ones up to the limit; the newest first. One that only another version can read is left
 * out, and a process logs it once. An incident's absence leads to nothing but opening it, which an open one absorbs; the
 * jobs that it holds back stay held.
 */
export function createIncidentList(db: Db, log: Pick<Log, 'error'>) {
  const logged = new Set<number>()
  return async (closedLimit: number): Promise<Incident[]> => {
    const rows = await read(db, closedLimit)
    return rows.flatMap((row) => {
      try {
        return [toIncident(row)]
      } catch (error) {
        if (!isError(error, 'E_LEDGER_ROW')) throw error
        const incident = row.id as number
        if (!logged.has(incident))
          log.error({ incident, err: error }, 'an incident cannot be read; it is left out')
        if (logged.size >= loggedMax) logged.clear()
        logged.add(incident)
        return []
      }
    })
  }
}

async function read(db: Db, closedLimit: number): Promise<readonly Row[]> {
  const { rows } = await db.query<Row>(sql`
    with closed as (
      select * from incidents where closed_at is not null order by closed_at desc, id desc limit ${closedLimit}
    )
    select * from incidents where closed_at is null
    union all
    select * from closed
    order by opened_at desc, id desc`)
  return rows
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
