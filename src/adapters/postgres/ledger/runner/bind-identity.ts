import { type Db, sql } from '../../connection/index.ts'

/** The first proof is the runner's; the same again is the same runner. A runner that never was has none. */
export async function bindIdentity(
  db: Db,
  runnerId: number,
  identityHash: string,
): Promise<'bound' | 'other'> {
  const { rowCount } = await db.query(sql`
    update runners set identity_hash = ${identityHash} where id = ${runnerId} and identity_hash is null`)
  if (rowCount === 1) return 'bound'
  const found = await db.query(sql`
    select from runners where id = ${runnerId} and identity_hash = ${identityHash}`)
  return found.rowCount === 1 ? 'bound' : 'other'
}
