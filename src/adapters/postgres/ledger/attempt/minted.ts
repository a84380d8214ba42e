import type { Handle } from '../../../../domain/attempt/index.ts'
import type { Fenced } from '../../../../ports/ledger.ts'
import type { Sealed } from '../../../../ports/vault.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { carryOut, lockAttempt } from '../carry-out/index.ts'
import { byDispatch } from '../cause.ts'

/** `claimed → minted`. A second mint for the same attempt changes nothing: the first JIT may be on its way (I2). */
export function minted(
  database: Database,
  handle: Handle,
  forgeRunnerId: number,
  jit: Sealed,
  deadlineMs: number,
): Promise<Fenced> {
  return database.transaction(async (tx) => {
    const bound = await lockAttempt(tx, handle)
    if (bound === null) return { kind: 'lost' }
    const { id, state } = bound.attempt
    if (state !== 'claimed') return { kind: 'ok' }
    const event = { kind: 'minted', forgeRunnerId, deadlineMs } as const
    await carryOut(tx, bound, [{ on: 'attempt', id, event }], byDispatch)
    await storeJit(tx, id, jit)
    return { kind: 'ok' }
  })
}

async function storeJit(tx: Db, attemptId: number, jit: Sealed): Promise<void> {
  await tx.query(sql`
    update attempts set jit = ${Buffer.from(jit.bytes)}, jit_key_id = ${jit.keyId} where id = ${attemptId}`)
}
