import { type HostSamples, lastObservedAt } from '../../../../domain/death/index.ts'
import { type Db, instant, sql } from '../../connection/index.ts'
import { instantOrNull, json, text } from '../rows/index.ts'

/** Keeps the newest samples of a pod by each node; zero rows: an end is not taken back, nor what was seen later. */
export async function putHostSamples(db: Db, samples: HostSamples): Promise<'kept' | 'older'> {
  const { rowCount } = await db.query(sql`
    insert into host_rings (pod_uid, node, ended_at, seen_until, ring)
    values (${text(samples.podUid)}, ${text(samples.node)}, ${instantOrNull(samples.endedAt)}, ${instant(lastObservedAt(samples))}, ${json(samples)}::jsonb)
    on conflict (pod_uid, node) do update
       set ended_at = excluded.ended_at, seen_until = excluded.seen_until, ring = excluded.ring, pushed_at = now()
     where (host_rings.ended_at is null or excluded.ended_at is not null)
       and excluded.seen_until >= host_rings.seen_until`)
  return rowCount === 1 ? 'kept' : 'older'
}
