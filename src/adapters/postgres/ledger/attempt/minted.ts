import type { Handle } from '../../../../domain/attempt/index.ts'
import { incidentKinds, incidentTable } from '../../../../domain/incident/index.ts'
import type { Job } from '../../../../domain/job/index.ts'
import type { Fenced } from '../../../../ports/ledger.ts'
import type { Sealed } from '../../../../ports/vault.ts'
import { type Database, type Db, prepared, type Sql, sql } from '../../connection/index.ts'
import { carryOut, lockAttempt } from '../carry-out/index.ts'
import { byDispatch } from '../cause.ts'
import { closing, wakeFreed } from '../incident/closing.ts'

const liftedKinds = incidentKinds.filter((kind) => incidentTable[kind].isLiftedByMint)

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
    await storeJit(tx, id, jit, bound.job)
    return { kind: 'ok' }
  })
}

/**
 * Incidents that the mint disproves are over in the same statement. Where none is open that is a look into a small
 * index, and the plan is kept.
 */
async function storeJit(tx: Db, attemptId: number, jit: Sealed, job: Job): Promise<void> {
  await tx.query(
    prepared(
      'store-jit',
      sql`
    with stored as (
      update attempts set jit = ${Buffer.from(jit.bytes)}, jit_key_id = ${jit.keyId} where id = ${attemptId}
    ), ${closing(disprovedBy(job))}
    ${wakeFreed}`,
    ),
  )
}

function disprovedBy({ installation, repository, owner }: Job): Sql {
  return sql`
    installation = ${installation} and kind = any (${liftedKinds}::text[])
    and (scope, key) in (('repository', ${repository}), ('account', ${owner}), ('installation', ${installation}))`
}
