import { type Attempt, type Handle, mintName } from '../../../src/domain/attempt/index.ts'
import type { Job } from '../../../src/domain/job/index.ts'
import type { Change } from '../../../src/domain/job-event/index.ts'
import { isLive, type Runner } from '../../../src/domain/runner/index.ts'
import type { Cause, Claim, ClaimResult } from '../../../src/ports/ledger.ts'
import { nextJob } from './queue.ts'
import { type IsServed, openAttemptOfRunner, type State } from './state.ts'
import { appendTimeline, applyPlan, applyUntold, type Tx } from './transaction.ts'
import { isUnreadable, mustRead } from './unreadable.ts'

const byDispatch: Cause = { source: 'dispatch' }

/** Only the first poll is a transition; the others leave no timeline row, because they come every minute. */
export function polled(tx: Tx, runnerId: number): 'polling' | 'leave' {
  const runner = tx.state.runners.get(runnerId)
  if (runner === undefined) return 'leave'
  if (isUnreadable(tx.state, 'runner', runnerId)) return 'polling'
  if (!isLive(runner) || runner.state === 'fenced') return 'leave'
  if (runner.state === 'booting') {
    applyPlan(tx, [{ on: 'runner', id: runnerId, transition: { kind: 'polled' } }], byDispatch)
  } else {
    tx.state.runners.set(runnerId, { ...runner, polledAt: tx.now })
  }
  return 'polling'
}

/** Renews the time of the runners that still poll, and returns them. */
export function waiting(tx: Tx, runnerIds: readonly number[]): ReadonlySet<number> {
  const polling = runnerIds.filter(
    (id) => tx.state.runners.get(id)?.state === 'polling' && !isUnreadable(tx.state, 'runner', id),
  )
  for (const id of polling) {
    tx.state.runners.set(id, { ...(tx.state.runners.get(id) as Runner), polledAt: tx.now })
  }
  return new Set(polling)
}

export function openAttempt(state: State, runnerId: number): Claim | null {
  const attempt = openAttemptOfRunner(state, runnerId)
  if (attempt === null) return null
  const job = state.jobs.get(attempt.jobId) as Job
  mustRead(state, { attempt, job })
  return { attempt, job, runnerGroup: state.pools.get(job.pool ?? '')?.runnerGroup ?? null }
}

export function claim(
  tx: Tx,
  runnerId: number,
  {
    handle,
    deadlineMs,
    isServed,
  }: { readonly handle: Handle; readonly deadlineMs: number; readonly isServed: IsServed },
): ClaimResult {
  const { state, now } = tx
  const runner = state.runners.get(runnerId)
  if (runner === undefined) return { kind: 'leave' }
  if (isUnreadable(state, 'runner', runnerId)) return { kind: 'nothing' }
  if (!isLive(runner) || runner.state === 'fenced') return { kind: 'leave' }
  const pool = state.pools.get(runner.pool)
  const job = runner.state === 'polling' && pool !== undefined ? nextJob(state, pool, now, isServed) : null
  if (job === null) return { kind: 'nothing' }
  const attempt = newAttempt(tx, { runner, job, handle, deadlineMs })
  state.attempts.set(attempt.id, attempt)
  const moves: Change[] = [
    { on: 'job', id: job.id, transition: { kind: 'claimed' } },
    { on: 'runner', id: runnerId, transition: { kind: 'claimed' } },
  ]
  applyUntold(tx, moves)
  // One timeline row for job, attempt and runner, which move together: claims are the most frequent write.
  const facts = { attempt: attempt.id, runner: runnerId, forgeRunnerName: attempt.forgeRunnerName }
  appendTimeline(tx, byDispatch, { subject: 'job', subjectId: job.id, jobId: job.id, kind: 'claimed', facts })
  const runnerGroup = pool?.runnerGroup ?? null
  return { kind: 'claimed', claim: { attempt, job: state.jobs.get(job.id) as Job, runnerGroup } }
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
