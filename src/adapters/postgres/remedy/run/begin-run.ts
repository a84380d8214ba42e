import type { Database } from '../../connection/index.ts'
import { sql } from '../../connection/index.ts'
import { lockHead } from '../trail/lock-head.ts'

/** The fencing token of a new run: an append with an older one is refused from here on. */
export function beginRun(database: Database): Promise<number> {
  return database.transaction(async (tx) => {
    const { run } = await lockHead(tx)
    await tx.query(sql`update remedy_trail_head set run = ${run + 1} where run = ${run}`)
    return run + 1
  })
}
