import type { Handle } from '../../../../domain/attempt/index.ts'
import type { Fenced } from '../../../../ports/ledger.ts'
import type { Database } from '../../connection/index.ts'
import { carryOut, lockAttempt } from '../carry-out/index.ts'
import { byDispatch } from '../cause.ts'

/** The poller has its JIT. A repeated acknowledgement is the same one, and a late one is as good. */
export function acknowledge(database: Database, handle: Handle): Promise<Fenced> {
  return database.transaction(async (tx) => {
    const bound = await lockAttempt(tx, handle)
    if (bound === null || bound.attempt.deliveredAt === null) return { kind: 'lost' }
    const { id, state } = bound.attempt
    if (state === 'delivered') {
      await carryOut(tx, bound, [{ on: 'attempt', id, event: { kind: 'acknowledged' } }], byDispatch)
    }
    return { kind: 'ok' }
  })
}
