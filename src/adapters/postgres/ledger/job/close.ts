import { isOpen } from '../../../../domain/job/index.ts'
import type { Cause } from '../../../../ports/ledger.ts'
import type { Database } from '../../connection/index.ts'
import { applyPlan } from '../plan/index.ts'
import { lockJob } from './lock.ts'

/** Closes an open job without an open attempt. */
export function closeJob(
  database: Database,
  jobId: number,
  conclusion: string,
  cause: Cause,
): Promise<'closed' | 'refused'> {
  return database.transaction(async (tx) => {
    const locked = await lockJob(tx, jobId)
    if (locked === null || locked.hasOpenAttempt || !isOpen(locked.job)) return 'refused'
    const transition = { kind: 'cancelled', conclusion, forgeCompletedAt: null } as const
    await applyPlan(tx, locked, [{ on: 'job', id: jobId, transition }], cause)
    return 'closed'
  })
}
