import { type HostRing, seenUntil } from '../../../../domain/death/index.ts'
import { type Db, instant, sql } from '../../connection/index.ts'
import { instantOrNull, json, text } from '../rows/index.ts'

/** Keeps the newest ring of a pod; zero rows: an end was not taken back, or another node has this pod. */
export async function putRing(db: Db, ring: HostRing): Promise<'kept' | 'older' | 'foreign'> {
  const [podUid, node] = [text(ring.podUid), text(ring.node)]
  const { rowCount } = await db.query(sql`
    insert into host_rings (pod_uid, node, ended_at, seen_until, ring)
    values (${podUid}, ${node}, ${instantOrNull(ring.endedAt)}, ${instant(seenUntil(ring))}, ${json(ring)}::jsonb)
    on conflict (pod_uid) do update
       set ended_at = excluded.ended_at, seen_until = excluded.seen_until, ring = excluded.ring, pushed_at = now()
     where host_rings.node = excluded.node
       and (host_rings.ended_at is null or excluded.ended_at is not null)
       and excluded.seen_until >= host_rings.seen_until`)
  if (rowCount === 1) return 'kept'
  const { rows } = await db.query<{ node: string }>(sql`
    select node from host_rings where pod_uid = ${podUid}`)
  return rows[0] !== undefined && rows[0].node !== node ? 'foreign' : 'older'
}
