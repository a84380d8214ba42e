import type { Attempt } from '../../../src/domain/attempt/index.ts'
import { isOpen, type Job } from '../../../src/domain/job/index.ts'
import type { Subject } from '../../../src/domain/recovery/index.ts'
import { isLive, type Runner } from '../../../src/domain/runner/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import type { NewDecision } from '../../../src/ports/ledger.ts'
import { type HostBounds, hostLostSince, isSteady } from './hosts.ts'
import { bound } from './intake.ts'
import { filter, type IsServed, openAttemptOfJob, openAttemptOfRunner, type State } from './state.ts'
import type { Tx } from './transaction.ts'

/** By what rows are judged beside what stands in them. */
export interface Judging {
  readonly isServed: IsServed
  readonly now: Instant
  readonly bounds: HostBounds
}

const neverLost: HostBounds = { lostAfterMs: Number.POSITIVE_INFINITY, steadyMs: 0 }

interface Overdue {
  readonly since: Instant
  readonly subject: Subject
}

/** Subjects whose time has come, the longest overdue first. */
export function due(
  state: State,
  now: Instant,
  limit: number,
  { host, isServed, bounds }: Omit<Judging, 'now'> & { readonly host: string },
): Subject[] {
  const maySay = isSteady(state, host, now, bounds)
  const isForHost = (runner: Runner) =>
    runner.host === host || (maySay && hostLostSince(state, runner.host, now, bounds) !== null)
  const overdue: Overdue[] = [
    ...filter(state.attempts, (attempt) => attempt.endedAt === null && attempt.checkAt <= now)
      .filter((attempt) => attempt.deliveredAt === null || isServed(bound(state, attempt).job))
      .map(
        (attempt): Overdue => ({ since: attempt.checkAt, subject: attemptSubject(state, attempt, isServed) }),
      ),
    ...filter(state.jobs, (job) => isWithoutAttempt(state, job) && job.checkAt <= now && isServed(job)).map(
      (job): Overdue => ({ since: job.checkAt, subject: { kind: 'job', job } }),
    ),
    ...filter(state.runners, (runner) => isLive(runner) && runner.checkAt <= now && isForHost(runner)).map(
      (runner): Overdue => ({
        since: runner.checkAt,
        subject: runnerSubject(state, runner, { isServed, bounds, now }),
      }),
    ),
  ]
  overdue.sort((a, b) => a.since - b.since)
  return overdue.slice(0, limit).map(({ subject }) => subject)
}

export function subjectOf(
  state: State,
  of: { readonly kind: Subject['kind']; readonly id: number },
  judging: Judging,
): Subject | null {
  if (of.kind === 'attempt') {
    const attempt = state.attempts.get(of.id)
    return attempt === undefined || attempt.endedAt !== null
      ? null
      : attemptSubject(state, attempt, judging.isServed)
  }
  if (of.kind === 'job') {
    const job = state.jobs.get(of.id)
    return job === undefined || !isWithoutAttempt(state, job) ? null : { kind: 'job', job }
  }
  const runner = state.runners.get(of.id)
  return runner === undefined || !isLive(runner) ? null : runnerSubject(state, runner, judging)
}

function isWithoutAttempt(state: State, job: Job): boolean {
  return isOpen(job) && openAttemptOfJob(state, job.id) === null
}

function attemptSubject(
  state: State,
  attempt: Attempt,
  isServed: IsServed,
): Extract<Subject, { kind: 'attempt' }> {
  const { job, runner } = bound(state, attempt)
  const subject = { kind: 'attempt', attempt, job, runner } as const
  return isServed(job) ? subject : { ...subject, isForeign: true }
}

function runnerSubject(state: State, runner: Runner, { now, bounds }: Judging): Subject {
  const since = hostLostSince(state, runner.host, now, bounds)
  const newest = filter(state.attempts, (attempt) => attempt.runnerId === runner.id).at(-1)
  const maxJobMs = state.everyPool.get(runner.pool)?.maxJobMs
  return {
    kind: 'runner',
    runner,
    hasOpenAttempt: openAttemptOfRunner(state, runner.id) !== null,
    last: newest === undefined ? null : { attempt: newest, job: bound(state, newest).job },
    ...(since === null ? {} : { hostLostSince: since }),
    ...(maxJobMs === undefined ? {} : { maxJobMs }),
  }
}

export function postpone(
  tx: Tx,
  of: { readonly kind: Subject['kind']; readonly id: number },
  delayMs: number,
): void {
  const { state } = tx
  const checkAt = tx.now + delayMs
  const subject = subjectOf(state, of, { isServed: () => true, now: tx.now, bounds: neverLost })
  if (subject?.kind === 'attempt') state.attempts.set(of.id, { ...subject.attempt, checkAt })
  if (subject?.kind === 'job') state.jobs.set(of.id, { ...subject.job, checkAt })
  if (subject?.kind === 'runner') state.runners.set(of.id, { ...subject.runner, checkAt })
}

export function recordDecision(tx: Tx, decision: NewDecision): number {
  const id = tx.nextId('decisions')
  tx.state.decisions.set(id, { id, at: tx.now, ...decision, outcome: null })
  return id
}

export function recordOutcome(tx: Tx, decisionId: number, outcome: string): void {
  const decision = tx.state.decisions.get(decisionId)
  if (decision !== undefined) tx.state.decisions.set(decisionId, { ...decision, outcome })
}
