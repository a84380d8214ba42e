import type { HostRing } from '../../../../domain/death/index.ts'
import type { RingOf } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { text, textOrNull } from '../rows/index.ts'

/** Where the node is not known and several speak of the pod, nobody can tell whose word counts. */
export async function readRing(db: Db, { podUid, node }: RingOf): Promise<HostRing | null> {
  const { rows } = await db.query<{ ring: HostRing }>(sql`
    select ring from host_rings
     where pod_uid = ${text(podUid)} and node = coalesce(${textOrNull(node)}::text, node)
     limit 2`)
  return rows.length === 1 ? (rows[0]?.ring ?? null) : null
}
