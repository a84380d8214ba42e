import type { Handle } from '../../../../domain/attempt/index.ts'
import type { Change } from '../../../../domain/binding/index.ts'
import type { Fenced, Ledger } from '../../../../ports/ledger.ts'
import type { Database, Db } from '../../connection/index.ts'
import { carryOut, lockBound } from '../carry-out/index.ts'
import { byDispatch } from '../cause.ts'
import { together } from '../together.ts'

/** The poller has its JIT. A repeated acknowledgement is the same one, and a late one is as good. */
export function createAcknowledging(database: Database): Ledger['acknowledge'] {
  return together<Handle, Fenced>({
    conflict: (a, b) => a === b,
    run: (handles) => database.transaction((tx) => acknowledgeAll(tx, handles)),
  })
}

async function acknowledgeAll(tx: Db, handles: readonly Handle[]): Promise<Fenced[]> {
  const bound = await lockBound(tx, handles)
  const changes = bound.each.flatMap((one): Change[] =>
    one?.attempt.state === 'delivered'
      ? [{ on: 'attempt', id: one.attempt.id, event: { kind: 'acknowledged' } }]
      : [],
  )
  if (changes.length > 0) await carryOut(tx, bound, changes, byDispatch)
  return bound.each.map((one) =>
    one === null || one.attempt.deliveredAt === null ? { kind: 'lost' } : { kind: 'ok' },
  )
}
