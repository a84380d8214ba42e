import type { Handle } from '../../../../domain/attempt/index.ts'
import type { Job } from '../../../../domain/job/index.ts'
import { fateOfMint, planEnd } from '../../../../domain/job-event/index.ts'
import type { AttemptLedger } from '../../../../ports/ledger.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { byDispatch } from '../cause.ts'
import { openIncident } from '../incident/open.ts'
import { appendTimeline, applyPlan, lockOpenAttempt } from '../plan/index.ts'
import { hold } from '../queue/hold.ts'
import { text } from '../rows/index.ts'

type Failure = Parameters<AttemptLedger['mintFailed']>[1]

/** Nothing was delivered: the job backs off or is quarantined, and its scope is held where the scope is at fault. */
export function mintFailed(
  database: Database,
  handle: Handle,
  failure: Failure,
): ReturnType<AttemptLedger['mintFailed']> {
  return database.transaction(async (tx) => {
    const bound = await lockOpenAttempt(tx, handle)
    if (bound === null) return { kind: 'lost' }
    const changes = planEnd(bound, { kind: 'mintFailed', proof: null, fate: fateOfMint(failure) })
    if (changes === 'refused') return { kind: 'lost' }
    const { jobs } = await applyPlan(tx, bound, changes, byDispatch)
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
