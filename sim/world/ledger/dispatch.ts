import type { Attempt, Handle, PastDeadline } from '../../../src/domain/attempt/index.ts'
import type { Job } from '../../../src/domain/job/index.ts'
import { type Change, fateOfMint, planEnd } from '../../../src/domain/job-event/index.ts'
import type { AttemptLedger, Cause, Fenced } from '../../../src/ports/ledger.ts'
import type { Sealed } from '../../../src/ports/vault.ts'
import { disproveIncidents, hold, openIncident } from './incidents.ts'
import { bound } from './job-events.ts'
import { attemptByHandle, type State } from './state.ts'
import { appendTimeline, applyPlan, type Tx } from './transaction.ts'

const byDispatch: Cause = { source: 'dispatch' }
const ok = { kind: 'ok' } as const
const lost = { kind: 'lost' } as const

/** A second mint for the same attempt changes nothing: the first JIT may be on its way already (I2). */
export function minted(
  tx: Tx,
  handle: Handle,
  forgeRunnerId: number,
  jit: Sealed,
  deadlineMs: number,
): Fenced {
  const attempt = open(tx.state, handle)
  if (attempt === null) return lost
  if (attempt.state !== 'claimed') return ok
  applyPlan(
    tx,
    [{ on: 'attempt', id: attempt.id, transition: { kind: 'minted', forgeRunnerId, deadlineMs } }],
    byDispatch,
  )
  tx.state.jits.set(attempt.id, jit)
  disproveIncidents(tx, bound(tx.state, attempt).job)
  return ok
}

type Failure = Parameters<AttemptLedger['mintFailed']>[1]

export function mintFailed(
  tx: Tx,
  handle: Handle,
  failure: Failure,
): Awaited<ReturnType<AttemptLedger['mintFailed']>> {
  const attempt = open(tx.state, handle)
  if (attempt === null) return lost
  const end = { kind: 'mintFailed', proof: null, fate: fateOfMint(failure) } as const
  const plan = planEnd(bound(tx.state, attempt), end)
  if (plan === 'refused') return lost
  applyPlan(tx, plan, byDispatch)
  const job = tx.state.jobs.get(attempt.jobId) as Job
  const incident = holdScope(tx, job, failure)
  const quarantined = failure.failuresMax !== null && job.mintFailures >= failure.failuresMax
  if (quarantined) quarantine(tx, job, failure.reason)
  return { kind: 'ok', quarantined, incident }
}

function holdScope(tx: Tx, job: Job, failure: Failure): 'opened' | 'known' | null {
  const { concerns, reason, delayMs, incident } = failure
  if (concerns === 'job' && incident === null) return null
  const scope = concerns === 'account' ? 'account' : 'repository'
  const key = scope === 'account' ? job.owner : job.repository
  if (incident === null) {
    hold(tx, { key, reason, incidentId: null }, delayMs)
    return null
  }
  return openIncident(tx, { kind: incident, installation: job.installation, scope, key, reason }, delayMs)
}

function quarantine(tx: Tx, job: Job, reason: string): void {
  tx.state.jobs.set(job.id, { ...job, quarantine: reason })
  const facts = { reason, mintFailures: job.mintFailures }
  appendTimeline(tx, byDispatch, {
    subject: 'job',
    subjectId: job.id,
    jobId: job.id,
    kind: 'quarantined',
    facts,
  })
}

export function deliver(
  tx: Tx,
  handle: Handle,
  registerDeadlineMs: number,
): Fenced<{ readonly jit: Sealed }> {
  const attempt = open(tx.state, handle)
  const jit = attempt === null ? undefined : tx.state.jits.get(attempt.id)
  if (attempt === null || jit === undefined) return lost
  if (attempt.state === 'minted') {
    const transition = { kind: 'delivered', deadlineMs: registerDeadlineMs } as const
    step(tx, attempt, transition, { kind: 'delivered' }, byDispatch)
  }
  return { kind: 'ok', jit }
}

export function acknowledge(tx: Tx, handle: Handle): Fenced {
  const attempt = open(tx.state, handle)
  if (attempt === null || attempt.deliveredAt === null) return lost
  if (attempt.state === 'delivered') {
    applyPlan(tx, [{ on: 'attempt', id: attempt.id, transition: { kind: 'acknowledged' } }], byDispatch)
  }
  return ok
}

export function registered(tx: Tx, handle: Handle, startDeadlineMs: number, cause: Cause): Fenced {
  const attempt = open(tx.state, handle)
  if (attempt === null || attempt.deliveredAt === null) return lost
  if (attempt.registeredAt === null) {
    const transition = { kind: 'registered', deadlineMs: startDeadlineMs } as const
    step(tx, attempt, transition, { kind: 'registered' }, cause)
  }
  return ok
}

/** Attempt and job move together. */
function step(
  tx: Tx,
  attempt: Attempt,
  transition: Extract<Change, { on: 'attempt' }>['transition'],
  ofJob: Extract<Change, { on: 'job' }>['transition'],
  cause: Cause,
): void {
  const moves: Change[] = [
    { on: 'attempt', id: attempt.id, transition },
    { on: 'job', id: attempt.jobId, transition: ofJob },
  ]
  applyPlan(tx, moves, cause)
}

/** The attempt of a handle, unless it has ended; read with all that it binds. */
function open(state: State, handle: Handle): Attempt | null {
  const attempt = attemptByHandle(state, handle)
  return attempt === null || attempt.endedAt !== null ? null : bound(state, attempt).attempt
}

export function notePastDeadline(
  tx: Tx,
  handle: Handle,
  { limitMs, ranMs, cancel }: Omit<PastDeadline, 'at'>,
  cause: Cause,
): Fenced {
  const attempt = open(tx.state, handle)
  if (attempt?.state !== 'running') return lost
  const before = attempt.pastDeadline
  const note = { ...(before ?? { at: tx.now, limitMs, ranMs }), cancel: before?.cancel ?? cancel }
  if (before !== undefined && before.cancel === note.cancel) return ok
  tx.state.attempts.set(attempt.id, { ...attempt, pastDeadline: note })
  const of = { subject: 'attempt', subjectId: attempt.id, jobId: attempt.jobId } as const
  if (before === undefined)
    appendTimeline(tx, cause, { ...of, kind: 'pastDeadline', facts: { limitMs, ranMs } })
  if (note.cancel !== null)
    appendTimeline(tx, cause, { ...of, kind: 'cancelAsked', facts: { answer: note.cancel } })
  return ok
}
