import type { Handle } from '../../../../domain/attempt/index.ts'
import { planEnd } from '../../../../domain/job-event/index.ts'
import type { AttemptLedger, Cause, Fenced } from '../../../../ports/ledger.ts'
import type { Database } from '../../connection/index.ts'
import { applyPlan, lockOpenAttempt } from '../plan/index.ts'

/** Ends an attempt with its proof and decides its job's fate, in one transaction (I7). */
export function endAttempt(
  database: Database,
  handle: Handle,
  end: Parameters<AttemptLedger['endAttempt']>[1],
  cause: Cause,
): Promise<Fenced | { readonly kind: 'refused' }> {
  return database.transaction(async (tx) => {
    const bound = await lockOpenAttempt(tx, handle)
    if (bound === null) return { kind: 'lost' }
    const changes = planEnd(bound, end)
    if (changes === 'refused') return { kind: 'refused' }
    await applyPlan(tx, bound, changes, cause)
    return { kind: 'ok' }
  })
}
