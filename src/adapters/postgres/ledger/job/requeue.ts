import type { Cause } from '../../../../ports/ledger.ts'
import type { Database } from '../../connection/index.ts'
import { applyPlan } from '../plan/index.ts'
import { lockJob } from './lock.ts'

/** Puts back a job that runs without an attempt of ours. */
export function requeueJob(database: Database, jobId: number, cause: Cause): Promise<'requeued' | 'refused'> {
  return database.transaction(async (tx) => {
    const locked = await lockJob(tx, jobId)
    if (locked === null || locked.hasOpenAttempt || locked.job.state !== 'running') return 'refused'
    const transition = { kind: 'requeued', delayMs: 0 } as const
    await applyPlan(tx, locked, [{ on: 'job', id: jobId, transition }], cause)
    return 'requeued'
  })
}
