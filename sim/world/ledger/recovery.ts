import type { Attempt } from '../../../src/domain/attempt/index.ts'
import { isError } from '../../../src/domain/errors/index.ts'
import { isOpen, type Job } from '../../../src/domain/job/index.ts'
import { absenceMs, type Subject } from '../../../src/domain/recovery/index.ts'
import { isLive, type Runner } from '../../../src/domain/runner/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import type { Due, NewDecision } from '../../../src/ports/ledger.ts'
import { type HostBounds, hostLostSince, isSteady } from './hosts.ts'
import { bound } from './job-events.ts'
import {
  filter,
  type IsServed,
  openAttemptOfJob,
  openAttemptOfRunner,
  type RowName,
  type State,
} from './state.ts'
import type { Tx } from './transaction.ts'
import { mustRead } from './unreadable.ts'

/** The facts outside of the rows by which they are judged. */
export interface Judging {
  readonly isServed: IsServed
  readonly now: Instant
  readonly bounds: HostBounds
}

interface Overdue {
  readonly since: Instant
  readonly due: Due
}

/** Subjects whose time has come, the longest overdue first. */
export function due(
  state: State,
  now: Instant,
  limit: number,
  { host, isServed, bounds }: Omit<Judging, 'now'> & { readonly host: string },
): Due[] {
  const maySay = isSteady(state, host, now, bounds)
  const isForHost = (runner: Runner) =>
    runner.host === host || (maySay && hostLostSince(state, runner.host, now, bounds) !== null)
  const judging = { isServed, bounds, now }
  const overdue: Overdue[] = [
    ...filter(state.attempts, (attempt) => attempt.endedAt === null && attempt.checkAt <= now)
      .filter(({ deliveredAt, jobId }) => deliveredAt === null || isServed(state.jobs.get(jobId) as Job))
      .map(({ id, checkAt }) => readOne(state, { kind: 'attempt', id }, checkAt, judging)),
    ...filter(state.jobs, (job) => isWithoutAttempt(state, job) && job.checkAt <= now && isServed(job)).map(
      ({ id, checkAt }) => readOne(state, { kind: 'job', id }, checkAt, judging),
    ),
    ...filter(state.runners, (runner) => isLive(runner) && runner.checkAt <= now && isForHost(runner)).map(
      ({ id, checkAt }) => readOne(state, { kind: 'runner', id }, checkAt, judging),
    ),
  ]
  overdue.sort((a, b) => a.since - b.since)
  return overdue.slice(0, limit).map((each) => each.due)
}

function readOne(state: State, of: RowName, since: Instant, judging: Judging): Overdue {
  try {
    return { since, due: subjectOf(state, of, judging) as Subject }
  } catch (error) {
    if (!isError(error, 'E_LEDGER_ROW')) throw error
    return { since, due: { kind: 'unreadable', of, error } }
  }
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
    if (job === undefined || !isWithoutAttempt(state, job)) return null
    mustRead(state, { job })
    return { kind: 'job', job }
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
  const host = state.hosts.get(runner.host)
  const watchedSince =
    host !== undefined && host.heartbeatAt >= now - absenceMs ? host.beatingSince : undefined
  const maxJobMs = state.everyPool.get(runner.pool)?.maxJobMs
  const job = newest === undefined ? undefined : state.jobs.get(newest.jobId)
  mustRead(state, { runner, attempt: newest ?? null, job: job ?? null })
  return {
    kind: 'runner',
    runner,
    hasOpenAttempt: openAttemptOfRunner(state, runner.id) !== null,
    last: newest === undefined ? null : { attempt: newest, job: job as Job },
    ...(since === null ? {} : { hostLostSince: since }),
    ...(watchedSince === undefined ? {} : { watchedSince }),
    ...(maxJobMs === undefined ? {} : { maxJobMs }),
  }
}

export function postpone(
  tx: Tx,
  of: { readonly kind: Subject['kind']; readonly id: number },
  delayMs: number,
): void {
  const { jobs, attempts, runners } = tx.state
  const checkAt = tx.now + delayMs
  const [job, attempt, runner] = [jobs.get(of.id), attempts.get(of.id), runners.get(of.id)]
  if (of.kind === 'attempt' && attempt?.endedAt === null) attempts.set(of.id, { ...attempt, checkAt })
  if (of.kind === 'job' && job !== undefined && isWithoutAttempt(tx.state, job))
    jobs.set(of.id, { ...job, checkAt })
  if (of.kind === 'runner' && runner?.endedAt === null) runners.set(of.id, { ...runner, checkAt })
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
