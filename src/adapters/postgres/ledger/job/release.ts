import { isAwaitingApproval, noBackOff } from '../../../../domain/job/index.ts'
import type { Cause } from '../../../../ports/ledger.ts'
import { type Database, type Db, instant, sql } from '../../connection/index.ts'
import { appendTimeline, notify } from '../plan/index.ts'
import { lockJob } from './lock.ts'

/** Lifts a quarantine; the failures that led to it are forgiven, and so is the back-off after the last one. */
export function release(database: Database, jobId: number, cause: Cause): Promise<'released' | 'refused'> {
  return database.transaction(async (tx) => {
    const locked = await lockJob(tx, jobId)
    if (locked === null || locked.job.state !== 'queued' || locked.job.quarantine === null) return 'refused'
    // Only the forge can let it go: a runner that was made for it now would sit idle.
    if (isAwaitingApproval(locked.job)) return 'refused'
    await forgive(tx, jobId)
    const facts = { quarantine: locked.job.quarantine }
    await appendTimeline(tx, [{ subject: 'job', subjectId: jobId, jobId, kind: 'released', facts }], cause)
    if (locked.job.pool !== null) await notify(tx, 'jobs', locked.job.pool)
    return 'released'
  })
}

async function forgive(tx: Db, jobId: number): Promise<void> {
  await tx.query(
    sql`update jobs set quarantine = null, mint_failures = 0, not_before = ${instant(noBackOff)} where id = ${jobId}`,
  )
}
