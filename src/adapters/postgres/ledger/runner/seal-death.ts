import type { DeathRecord } from '../../../../domain/death/index.ts'
import { isLive } from '../../../../domain/runner/index.ts'
import type { Cause } from '../../../../ports/ledger.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { carryOut, notify } from '../carry-out/index.ts'
import { lockRunner } from './lock.ts'

/** Seals a runner's death record, once, and ends the runner; its open attempt is due at once. */
export function sealDeath(
  database: Database,
  runnerId: number,
  record: DeathRecord,
  reason: string,
  cause: Cause,
): Promise<'sealed' | 'already'> {
  return database.transaction(async (tx) => {
    const locked = await lockRunner(tx, runnerId)
    // A row goes only after its death was sealed.
    if (locked === null || !isLive(locked.runner)) return 'already'
    await carryOut(tx, locked, [{ on: 'runner-gone', id: runnerId, record, reason }], cause)
    if (locked.attempt !== null) await makeDue(tx, locked.attempt.id)
    await notify(tx, 'recovery')
    return 'sealed'
  })
}

async function makeDue(tx: Db, attemptId: number): Promise<void> {
  await tx.query(sql`update attempts set check_at = now() where id = ${attemptId}`)
}
