import type { Handle } from '../../../../domain/attempt/index.ts'
import { planEnd } from '../../../../domain/binding/index.ts'
import type { Job } from '../../../../domain/job/index.ts'
import type { Fenced, Ledger } from '../../../../ports/ledger.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { appendTimeline, carryOut, lockAttempt } from '../carry-out/index.ts'
import { byDispatch } from '../cause.ts'
import { hold } from '../queue/hold.ts'
import { text } from '../rows/index.ts'

/** Nothing was delivered: the job backs off or is quarantined, and its scope is held where the scope is at fault. */
export function mintFailed(
  database: Database,
  handle: Handle,
  failure: Parameters<Ledger['mintFailed']>[1],
): Promise<Fenced<{ readonly quarantined: boolean }>> {
  const { reason, concerns, delayMs, failuresMax } = failure
  const fate = { kind: 'requeue', delayMs, mintFailed: true } as const
  return database.transaction(async (tx) => {
    const bound = await lockAttempt(tx, handle)
    if (bound === null) return { kind: 'lost' }
    const changes = planEnd(bound, { kind: 'mintFailed', proof: null, fate })
    if (changes === 'refused') return { kind: 'lost' }
    const { jobs } = await carryOut(tx, bound, changes, byDispatch)
    const job = jobs[0] ?? bound.job
    if (concerns !== 'job') await hold(tx, concerns, job, reason, delayMs)
    const quarantined = job.mintFailures >= failuresMax
    if (quarantined) await quarantine(tx, job, reason)
    return { kind: 'ok', quarantined }
  })
}

async function quarantine(tx: Db, job: Job, reason: string): Promise<void> {
  await tx.query(sql`update jobs set quarantine = ${text(reason)} where id = ${job.id}`)
  const facts = { reason, mintFailures: job.mintFailures }
  const entry = { subject: 'job', subjectId: job.id, jobId: job.id, kind: 'quarantined', facts } as const
  await appendTimeline(tx, [entry], byDispatch)
}
