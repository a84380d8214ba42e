import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Leader } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'

/**
 * Whether this leader may write. The lease's row stays locked until the transaction ends, so that who comes next,
 * whether it leads later or led before, sees what was written, or is refused.
 */
export async function mayLead(tx: Db, { lease, token }: Leader): Promise<boolean> {
  if (!/^\d{1,100}$/.test(token)) {
    throw new HoldfastError('E_BUG', {
      what: `the lease ${lease} has the token "${token}", no decimal number`,
    })
  }
  const { rowCount } = await tx.query(sql`
    insert into leases (name, token) values (${lease}, ${token}::numeric)
    on conflict (name) do update set token = excluded.token where leases.token <= excluded.token`)
  return rowCount === 1
}
