import type { Attempt, Handle } from '../../../src/domain/attempt/index.ts'
import { type Change, planEnd } from '../../../src/domain/binding/index.ts'
import type { Job } from '../../../src/domain/job/index.ts'
import type { Cause, Fenced, Ledger } from '../../../src/ports/ledger.ts'
import type { Sealed } from '../../../src/ports/vault.ts'
import { bound } from './intake.ts'
import { attemptByHandle, type State } from './state.ts'
import { carryOut, type Tx, tell } from './transaction.ts'

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
  carryOut(
    tx,
    [{ on: 'attempt', id: attempt.id, event: { kind: 'minted', forgeRunnerId, deadlineMs } }],
    byDispatch,
  )
  tx.state.jits.set(attempt.id, jit)
  return ok
}

export function mintFailed(
  tx: Tx,
  handle: Handle,
  failure: Parameters<Ledger['mintFailed']>[1],
): Fenced<{ readonly quarantined: boolean }> {
  const attempt = open(tx.state, handle)
  if (attempt === null) return lost
  const { reason, concerns, delayMs, failuresMax } = failure
  const fate = { kind: 'requeue', delayMs, mintFailed: true } as const
  const plan = planEnd(bound(tx.state, attempt), { kind: 'mintFailed', proof: null, fate })
  if (plan === 'refused') return lost
  carryOut(tx, plan, byDispatch)
  const job = tx.state.jobs.get(attempt.jobId) as Job
  if (concerns !== 'job') hold(tx, concerns === 'repository' ? job.repository : job.owner, reason, delayMs)
  const quarantined = job.mintFailures >= failuresMax
  if (quarantined) quarantine(tx, job, reason)
  return { kind: 'ok', quarantined }
}

/** A hold is never shortened by a later failure. */
function hold(tx: Tx, key: string, reason: string, delayMs: number): void {
  const before = tx.state.holds.get(key)?.until ?? 0
  tx.state.holds.set(key, { key, reason, until: Math.max(before, tx.now + delayMs) })
}

function quarantine(tx: Tx, job: Job, reason: string): void {
  tx.state.jobs.set(job.id, { ...job, quarantine: reason })
  const facts = { reason, mintFailures: job.mintFailures }
  tell(tx, byDispatch, { subject: 'job', subjectId: job.id, jobId: job.id, kind: 'quarantined', facts })
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
    const event = { kind: 'delivered', deadlineMs: registerDeadlineMs } as const
    step(tx, attempt, event, { kind: 'delivered' }, byDispatch)
  }
  return { kind: 'ok', jit }
}

export function acknowledge(tx: Tx, handle: Handle): Fenced {
  const attempt = open(tx.state, handle)
  if (attempt === null || attempt.deliveredAt === null) return lost
  if (attempt.state === 'delivered') {
    carryOut(tx, [{ on: 'attempt', id: attempt.id, event: { kind: 'acknowledged' } }], byDispatch)
  }
  return ok
}

export function registered(tx: Tx, handle: Handle, startDeadlineMs: number, cause: Cause): Fenced {
  const attempt = open(tx.state, handle)
  if (attempt === null || attempt.deliveredAt === null) return lost
  if (attempt.registeredAt === null) {
    const event = { kind: 'registered', deadlineMs: startDeadlineMs } as const
    step(tx, attempt, event, { kind: 'registered' }, cause)
  }
  return ok
}

/** Attempt and job move together. */
function step(
  tx: Tx,
  attempt: Attempt,
  event: Extract<Change, { on: 'attempt' }>['event'],
  ofJob: Extract<Change, { on: 'job' }>['event'],
  cause: Cause,
): void {
  const moves: Change[] = [
    { on: 'attempt', id: attempt.id, event },
    { on: 'job', id: attempt.jobId, event: ofJob },
  ]
  carryOut(tx, moves, cause)
}

/** The attempt of a handle, unless it has ended. */
function open(state: State, handle: Handle): Attempt | null {
  const attempt = attemptByHandle(state, handle)
  return attempt === null || attempt.endedAt !== null ? null : attempt
}
