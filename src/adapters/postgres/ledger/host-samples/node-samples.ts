import type { HostSampleLedger, NodeSample } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { isOfRow, milliseconds, type Row, storedJson } from '../rows/index.ts'

type Within = Parameters<HostSampleLedger['nodeSamples']>[0]

/** The newest samples of each node are chosen by their columns: only those are unpacked. */
export async function nodeSamples(db: Db, { pushedWithinMs, limit }: Within): Promise<readonly NodeSample[]> {
  const { rows } = await db.query<Row>(sql`
    with newest as (
      select distinct on (node) pod_uid, node, seen_until
        from host_rings
       where pushed_at > now() - ${milliseconds(pushedWithinMs)}::interval
       order by node, seen_until desc, pod_uid)
    select newest.pod_uid, host_rings.ring
      from newest join host_rings using (pod_uid, node)
     order by newest.seen_until desc, node
     limit ${limit}`)
  return rows.flatMap((row) => newestOf(row) ?? [])
}

/** Null also for a row that this program cannot read: it hides no other node. */
function newestOf({ pod_uid, ring }: Row): NodeSample | null {
  try {
    const cell = { table: 'host_rings', id: pod_uid as string, column: 'ring' }
    const { node, samples } = storedJson.hostSamples(ring, cell)
    const sample = samples.at(-1)
    return sample === undefined ? null : { node, sample }
  } catch (error) {
    if (!isOfRow(error)) throw error
    return null
  }
}
