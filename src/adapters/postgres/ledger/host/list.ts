import { type HostRow, hostKinds } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { milliseconds, type Row } from '../rows/index.ts'

/** Every host, with its live runners. */
export async function listHosts(db: Db, lostAfterMs: number): Promise<HostRow[]> {
  const { rows } = await db.query<Row>(sql`
    select id, kind, first_seen_at, heartbeat_at, ended_at,
           heartbeat_at < now() - ${milliseconds(lostAfterMs)}::interval as is_lost,
           (select count(*) from runners where runners.host = hosts.id and runners.ended_at is null) as live
      from hosts
     order by id collate "C"`)
  return rows.map((row) => ({
    id: row.id as string,
    // A kind of a newer version is none that this one knows, and no reason to hide the others.
    kind: hostKinds.find((kind) => kind === row.kind) ?? 'unknown',
    firstSeenAt: row.first_seen_at as number,
    heartbeatAt: row.heartbeat_at as number,
    isLost: row.is_lost as boolean,
    endedAt: row.ended_at as number | null,
    liveRunners: row.live as number,
  }))
}

/** Lost hosts without live runners are over. */
export async function endLostHosts(db: Db, lostAfterMs: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(sql`
    update hosts set ended_at = now()
     where ended_at is null and heartbeat_at < now() - ${milliseconds(lostAfterMs)}::interval
       and not exists (select from runners where runners.host = hosts.id and runners.ended_at is null)
    returning id`)
  return rows.map(({ id }) => id)
}
