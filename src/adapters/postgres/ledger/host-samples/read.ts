import type { HostSamples } from '../../../../domain/death/index.ts'
import type { HostSamplesKey } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { type Row, storedJson, text, textOrNull } from '../rows/index.ts'

/** Null where the node is not known and the agents of several nodes saw the pod: none of them can be preferred. */
export async function readHostSamples(db: Db, { podUid, node }: HostSamplesKey): Promise<HostSamples | null> {
  const { rows } = await db.query<Row>(sql`
    select ring from host_rings
     where pod_uid = ${text(podUid)} and node = coalesce(${textOrNull(node)}::text, node)
     limit 2`)
  const [row] = rows
  if (row === undefined || rows.length > 1) return null
  return storedJson.hostSamples(row.ring, { table: 'host_rings', id: podUid, column: 'ring' })
}
