import type { Handle } from '../../../../domain/attempt/index.ts'
import { fateOfMint, planEnd } from '../../../../domain/binding/index.ts'
import type { Job } from '../../../../domain/job/index.ts'
import type { Ledger } from '../../../../ports/ledger.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { appendTimeline, carryOut, lockAttempt } from '../carry-out/index.ts'
import { byDispatch } from '../cause.ts'
import { openIncident } from '../incident/open.ts'
import { hold } from '../queue/hold.ts'
import { text } from '../rows/index.ts'

type Failure = Parameters<Ledger['mintFailed']>[1]

/** Nothing was delivered: the job backs off or is quarantined, and its scope is held where the scope is at fault. */
export function mintFailed(
  database: Database,
  handle: Handle,
  failure: Failure,
): ReturnType<Ledger['mintFailed']> {
  return database.transaction(async (tx) => {
    const bound = await lockAttempt(tx, handle)
    if (bound === null) return { kind: 'lost' }
    const changes = planEnd(bound, { kind: 'mintFailed', proof: null, fate: fateOfMint(failure) })
    if (changes === 'refused') return { kind: 'lost' }
    const { jobs } = await carryOut(tx, bound, changes, byDispatch)
    const job = jobs[0] ?? bound.job
    const incident = await holdScope(tx, job, failure)
    const quarantined = failure.failuresMax !== null && job.mintFailures >= failure.failuresMax
    if (quarantined) await quarantine(tx, job, failure.reason)
    return { kind: 'ok', quarantined, incident }
  })
}

async function holdScope(tx: Db, job: Job, failure: Failure): Promise<'opened' | 'known' | null> {
  const { concerns, reason, delayMs, incident } = failure
  if (concerns === 'job' && incident === null) return null
  const scope = concerns === 'account' ? 'account' : 'repository'
  const key = scope === 'account' ? job.owner : job.repository
  if (incident === null) {
    await hold(tx, { kind: scope, key, reason, incidentId: null }, delayMs)
    return null
  }
  const { installation } = job
  return openIncident(tx, { kind: incident, installation, scope, key, reason }, delayMs)
}

async function quarantine(tx: Db, job: Job, reason: string): Promise<void> {
  await tx.query(sql`update jobs set quarantine = ${text(reason)} where id = ${job.id}`)
  const facts = { reason, mintFailures: job.mintFailures }
  const entry = { subject: 'job', subjectId: job.id, jobId: job.id, kind: 'quarantined', facts } as const
  await appendTimeline(tx, [entry], byDispatch)
}
