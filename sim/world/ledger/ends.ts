import type { Attempt, Handle } from '../../../src/domain/attempt/index.ts'
import { type DeathRecord, runnerDeath } from '../../../src/domain/death/index.ts'
import { isAwaitingApproval, isOpen, type Job, noBackOff } from '../../../src/domain/job/index.ts'
import { planEnd, planJudged } from '../../../src/domain/job-event/index.ts'
import { isLive, runnerMoves } from '../../../src/domain/runner/index.ts'
import type { AttemptLedger, Cause, DeathLedger } from '../../../src/ports/ledger.ts'
import { bound } from './job-events.ts'
import { attemptByHandle, filter, openAttemptOfJob, openAttemptOfRunner, type State } from './state.ts'
import { appendTimeline, applyPlan, type Tx, wakeJobs } from './transaction.ts'
import { mustRead } from './unreadable.ts'

export function endAttempt(
  tx: Tx,
  handle: Handle,
  end: Parameters<AttemptLedger['endAttempt']>[1],
  cause: Cause,
): Awaited<ReturnType<AttemptLedger['endAttempt']>> {
  const attempt = attemptByHandle(tx.state, handle)
  if (attempt === null || attempt.endedAt !== null) return { kind: 'lost' }
  const plan = planEnd(bound(tx.state, attempt), end)
  if (plan === 'refused') return { kind: 'refused' }
  applyPlan(tx, plan, cause)
  return { kind: 'ok' }
}

export function closeJob(tx: Tx, jobId: number, conclusion: string, cause: Cause): 'closed' | 'refused' {
  const job = tx.state.jobs.get(jobId)
  mustRead(tx.state, { job: job ?? null })
  if (job === undefined || !isOpen(job) || openAttemptOfJob(tx.state, jobId) !== null) return 'refused'
  const transition = { kind: 'cancelled', conclusion, forgeCompletedAt: null } as const
  applyPlan(tx, [{ on: 'job', id: jobId, transition }], cause)
  return 'closed'
}

export function requeueJob(tx: Tx, jobId: number, cause: Cause): 'requeued' | 'refused' {
  const job = tx.state.jobs.get(jobId)
  mustRead(tx.state, { job: job ?? null })
  if (job?.state !== 'running' || openAttemptOfJob(tx.state, jobId) !== null) return 'refused'
  applyPlan(tx, [{ on: 'job', id: jobId, transition: { kind: 'requeued', delayMs: 0 } }], cause)
  return 'requeued'
}

export function release(tx: Tx, jobId: number, cause: Cause): 'released' | 'refused' {
  const job = tx.state.jobs.get(jobId)
  mustRead(tx.state, { job: job ?? null })
  if (job === undefined || !isOpen(job) || job.quarantine === null || isAwaitingApproval(job))
    return 'refused'
  tx.state.jobs.set(jobId, { ...job, quarantine: null, mintFailures: 0, notBefore: noBackOff })
  const facts = { quarantine: job.quarantine }
  appendTimeline(tx, cause, { subject: 'job', subjectId: jobId, jobId, kind: 'released', facts })
  wakeJobs(tx, job.pool)
  return 'released'
}

export function fence(tx: Tx, runnerId: number, reason: string, cause: Cause): 'fenced' | 'refused' {
  const runner = tx.state.runners.get(runnerId)
  mustRead(tx.state, { runner: runner ?? null })
  if (runner === undefined || openAttemptOfRunner(tx.state, runnerId) !== null) return 'refused'
  if (runner.state === 'fenced') return 'fenced'
  if (!('fenced' in runnerMoves[runner.state])) return 'refused'
  applyPlan(tx, [{ on: 'runner', id: runnerId, transition: { kind: 'fenced', reason } }], cause)
  tx.wakes.push({ kind: 'fenced', runnerId })
  return 'fenced'
}

export function sealDeath(
  tx: Tx,
  runnerId: number,
  record: DeathRecord,
  reason: string,
  cause: Cause,
): Awaited<ReturnType<DeathLedger['sealDeath']>> {
  const runner = tx.state.runners.get(runnerId)
  mustRead(tx.state, { runner: runner ?? null, attempt: openAttemptOfRunner(tx.state, runnerId) })
  // A row goes only after its death was sealed.
  if (runner === undefined || !isLive(runner)) return 'already'
  const judged = planJudged(runnerDeath(record, tx.now), ranBy(tx.state, runnerId))
  applyPlan(tx, [{ on: 'runner-gone', id: runnerId, record, reason }, ...judged], cause)
  const attempt = openAttemptOfRunner(tx.state, runnerId)
  if (attempt !== null) tx.state.attempts.set(attempt.id, { ...attempt, checkAt: tx.now })
  tx.wakes.push({ kind: 'recovery' })
  return judged.length > 0 ? 'lost' : 'sealed'
}

/** The jobs of which the forge says that this runner ran them, without those that were past their pool's limit. */
function ranBy(state: State, runnerId: number): Job[] {
  const mayBeLost = ({ runnerId: of, pastDeadline }: Attempt) => of === runnerId && pastDeadline === undefined
  return filter(state.attempts, mayBeLost).flatMap((attempt) => {
    const job = state.jobs.get(attempt.jobId)
    return job?.executor === attempt.forgeRunnerName ? [job] : []
  })
}
