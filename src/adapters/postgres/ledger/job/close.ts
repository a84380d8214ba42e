import { isOpen } from '../../../../domain/job/index.ts'
import type { Cause } from '../../../../ports/ledger.ts'
import type { Database } from '../../connection/index.ts'
import { carryOut } from '../carry-out/index.ts'
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
    const event = { kind: 'cancelled', conclusion, forgeCompletedAt: null } as const
    await carryOut(tx, locked, [{ on: 'job', id: jobId, event }], cause)
    return 'closed'
  })
}
