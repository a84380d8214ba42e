import type { HostRing } from '../../../../domain/death/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { text } from '../rows/index.ts'

export async function readRing(db: Db, podUid: string): Promise<HostRing | null> {
  const { rows } = await db.query<{ ring: HostRing }>(sql`
    select ring from host_rings where pod_uid = ${text(podUid)}`)
  return rows[0]?.ring ?? null
}
