import { type Attempt, type Handle, mintName } from '../../../src/domain/attempt/index.ts'
import type { Change } from '../../../src/domain/binding/index.ts'
import { planEnd } from '../../../src/domain/binding/index.ts'
import type { Job } from '../../../src/domain/job/index.ts'
import { isLive, type Runner } from '../../../src/domain/runner/index.ts'
import type { Cause, Claim, ClaimResult, Fenced, Ledger, NewRunner } from '../../../src/ports/ledger.ts'
import type { Sealed } from '../../../src/ports/vault.ts'
import { bound } from './intake.ts'
import { nextJob } from './queue.ts'
import { attemptByHandle, find, openAttemptOfRunner, type State } from './state.ts'
import { carryOut, type Tx, tell } from './transaction.ts'

const byDispatch: Cause = { source: 'dispatch' }
const ok = { kind: 'ok' } as const
const lost = { kind: 'lost' } as const

export function enrol(tx: Tx, runner: NewRunner, cause: Cause): Runner {
  const { state, now } = tx
  const there = find(state.runners, (other) => other.name === runner.name)
  if (there !== null) return there
  const { bootDeadlineMs, ...given } = runner
  const row: Runner = {
    id: tx.nextId('runners'),
    ...given,
    state: 'booting',
    createdAt: now,
    polledAt: null,
    fencedAt: null,
    endedAt: null,
    reason: null,
    evidenceId: null,
    checkAt: now + bootDeadlineMs,
  }
  state.runners.set(row.id, row)
  const facts = { pool: row.pool, name: row.name }
  tell(tx, cause, { subject: 'runner', subjectId: row.id, jobId: null, kind: 'enrolled', facts })
  return row
}

/** Only the first poll is a transition; the others leave no timeline row, because they come every 30 s. */
export function polled(tx: Tx, runnerId: number): 'polling' | 'leave' {
  const runner = tx.state.runners.get(runnerId)
  if (runner === undefined || !isLive(runner) || runner.state === 'fenced') return 'leave'
  if (runner.state === 'booting') {
    carryOut(tx, [{ on: 'runner', id: runnerId, event: { kind: 'polled' } }], byDispatch)
  } else {
    tx.state.runners.set(runnerId, { ...runner, polledAt: tx.now })
  }
  return 'polling'
}

export function openAttempt(state: State, runnerId: number): Claim | null {
  const attempt = openAttemptOfRunner(state, runnerId)
  return attempt === null ? null : { attempt, job: bound(state, attempt).job }
}

export function claim(tx: Tx, runnerId: number, handle: Handle, deadlineMs: number): ClaimResult {
  const { state, now } = tx
  const runner = state.runners.get(runnerId)
  if (runner === undefined || !isLive(runner) || runner.state === 'fenced') return { kind: 'leave' }
  const pool = state.pools.get(runner.pool)
  const job = runner.state === 'polling' && pool !== undefined ? nextJob(state, pool, now) : null
  if (job === null) return { kind: 'nothing' }
  const attempt = newAttempt(tx, { runner, job, handle, deadlineMs })
  state.attempts.set(attempt.id, attempt)
  const facts = { runner: runner.name, forgeRunnerName: attempt.forgeRunnerName }
  tell(tx, byDispatch, { subject: 'attempt', subjectId: attempt.id, jobId: job.id, kind: 'claimed', facts })
  const moves: Change[] = [
    { on: 'job', id: job.id, event: { kind: 'claimed' } },
    { on: 'runner', id: runnerId, event: { kind: 'claimed' } },
  ]
  carryOut(tx, moves, byDispatch)
  return { kind: 'claimed', claim: { attempt, job: state.jobs.get(job.id) as Job } }
}

function newAttempt(
  tx: Tx,
  of: { readonly runner: Runner; readonly job: Job; readonly handle: Handle; readonly deadlineMs: number },
): Attempt {
  return {
    id: tx.nextId('attempts'),
    handle: of.handle,
    jobId: of.job.id,
    claimedJobId: of.job.id,
    runnerId: of.runner.id,
    state: 'claimed',
    forgeRunnerName: mintName(of.runner.name, of.handle),
    forgeRunnerId: null,
    claimedAt: tx.now,
    mintedAt: null,
    deliveredAt: null,
    acknowledgedAt: null,
    registeredAt: null,
    startedAt: null,
    endedAt: null,
    endReason: null,
    evidenceId: null,
    checkAt: tx.now + of.deadlineMs,
  }
}

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
