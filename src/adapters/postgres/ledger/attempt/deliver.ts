import type { Handle } from '../../../../domain/attempt/index.ts'
import type { Change } from '../../../../domain/binding/index.ts'
import { jobMoves } from '../../../../domain/job/index.ts'
import type { Fenced } from '../../../../ports/ledger.ts'
import type { Sealed } from '../../../../ports/vault.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { carryOut, lockAttempt } from '../carry-out/index.ts'
import { byDispatch } from '../cause.ts'

/** `minted → delivered`; asked again, the same JIT, as long as it is kept. */
export function deliver(
  database: Database,
  handle: Handle,
  registerDeadlineMs: number,
): Promise<Fenced<{ readonly jit: Sealed }>> {
  return database.transaction(async (tx) => {
    const bound = await lockAttempt(tx, handle)
    const jit = bound === null ? null : await readJit(tx, bound.attempt.id)
    if (bound === null || jit === null) return { kind: 'lost' }
    const { attempt, job } = bound
    if (attempt.state === 'minted') {
      const event = { kind: 'delivered', deadlineMs: registerDeadlineMs } as const
      const changes: Change[] = [{ on: 'attempt', id: attempt.id, event }]
      if ('delivered' in jobMoves[job.state])
        changes.push({ on: 'job', id: job.id, event: { kind: 'delivered' } })
      await carryOut(tx, bound, changes, byDispatch)
    }
    return { kind: 'ok', jit }
  })
}

async function readJit(tx: Db, attemptId: number): Promise<Sealed | null> {
  const { rows } = await tx.query<{ jit: Buffer; jit_key_id: string }>(sql`
    select jit, jit_key_id from attempts where id = ${attemptId} and jit is not null`)
  return rows[0] === undefined ? null : { keyId: rows[0].jit_key_id, bytes: new Uint8Array(rows[0].jit) }
}
