import type { Handle } from '../../../../domain/attempt/index.ts'
import { planEnd } from '../../../../domain/binding/index.ts'
import type { Cause, Fenced, Ledger } from '../../../../ports/ledger.ts'
import type { Database } from '../../connection/index.ts'
import { carryOut, lockAttempt } from '../carry-out/index.ts'

/** Ends an attempt with its proof and decides its job's fate, in one transaction (I7). */
export function endAttempt(
  database: Database,
  handle: Handle,
  end: Parameters<Ledger['endAttempt']>[1],
  cause: Cause,
): Promise<Fenced | { readonly kind: 'refused' }> {
  return database.transaction(async (tx) => {
    const bound = await lockAttempt(tx, handle)
    if (bound === null) return { kind: 'lost' }
    const changes = planEnd(bound, end)
    if (changes === 'refused') return { kind: 'refused' }
    await carryOut(tx, bound, changes, cause)
    return { kind: 'ok' }
  })
}
