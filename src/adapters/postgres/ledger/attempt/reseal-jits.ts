import type { Handle } from '../../../../domain/attempt/index.ts'
import type { Sealed } from '../../../../ports/vault.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'

const pageSize = 100

/**
 * Seals stored JITs again, at most so many. What has the new key already is not counted, and what was delivered keeps
 * its bytes (I2): it is erased within minutes, when its runner has registered.
 */
export function resealJits(
  database: Database,
  reseal: (jit: Sealed, handle: Handle) => Sealed,
  limit: number,
): Promise<number> {
  return database.transaction(async (tx) => {
    let resealed = 0
    let page = await lockPage(tx, 0)
    while (page.length > 0) {
      for (const { id, handle, jit, jit_key_id } of page) {
        if (resealed === limit) return resealed
        const sealed = reseal({ keyId: jit_key_id, bytes: new Uint8Array(jit) }, handle)
        if (sealed.keyId === jit_key_id) continue
        await writeJit(tx, id, sealed)
        resealed += 1
      }
      page = await lockPage(tx, page.at(-1)?.id as number)
    }
    return resealed
  })
}

interface JitRow {
  readonly id: number
  readonly handle: Handle
  readonly jit: Buffer
  readonly jit_key_id: string
}

async function lockPage(tx: Db, afterId: number): Promise<readonly JitRow[]> {
  const { rows } = await tx.query<JitRow>(sql`
    select id, handle, jit, jit_key_id
      from attempts
     where id > ${afterId} and ended_at is null and jit is not null and delivered_at is null
     order by id
     limit ${pageSize}
       for no key update`)
  return rows
}

async function writeJit(tx: Db, id: number, jit: Sealed): Promise<void> {
  await tx.query(sql`
    update attempts set jit = ${Buffer.from(jit.bytes)}, jit_key_id = ${jit.keyId} where id = ${id}`)
}
