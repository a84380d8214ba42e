import type { TrailHead } from '../../../../domain/trail/index.ts'
import { type Db, sql } from '../../connection/index.ts'

/** The head with the fencing token of the run that may append. */
export interface LockedHead extends TrailHead {
  readonly run: number
}

/** Locks the head until the transaction ends: who appends next sees what was appended, or waits. */
export async function lockHead(tx: Db): Promise<LockedHead> {
  await tx.query(sql`insert into remedy_trail_head default values on conflict do nothing`)
  const { rows } = await tx.query<LockedHead>(sql`select count, hash, run from remedy_trail_head for update`)
  return rows[0] as LockedHead
}
