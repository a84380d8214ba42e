import { type Attempt, transitionAttempt } from '../attempt/index.ts'
import { HoldfastError } from '../errors/index.ts'
import { type Job, transitionJob } from '../job/index.ts'
import { isRefusal } from '../machine/index.ts'
import { goodbyeMs, isLive, type Runner, transitionRunner } from '../runner/index.ts'
import type { Instant } from '../time.ts'
import type { Change, Evidence } from './change.ts'

/** The rows that a plan touches, locked by the ledger that applies it. */
export interface LockedRows {
  readonly jobs: ReadonlyMap<number, Job>
  readonly attempts: ReadonlyMap<number, Attempt>
  readonly runners: ReadonlyMap<number, Runner>
}

export interface TimelineEntry {
  readonly subject: 'job' | 'attempt' | 'runner'
  readonly subjectId: number
  readonly jobId: number | null
  readonly kind: string
  readonly facts: Readonly<Record<string, unknown>>
}

export interface AppliedPlan {
  readonly jobs: readonly Job[]
  readonly attempts: readonly Attempt[]
  readonly runners: readonly Runner[]
  /** Attempts to insert; their id is not given yet. */
  readonly opened: readonly Omit<Attempt, 'id'>[]
  readonly timeline: readonly TimelineEntry[]
}

/**
 * Applies a plan to rows in memory: each change is one transition and one timeline row. `evidenceId` gives
 * the id under which a change's evidence was stored. A refused transition is a defect of the plan, never ignored.
 */
export function applyChanges(
  rows: LockedRows,
  changes: readonly Change[],
  evidenceId: (evidence: Evidence) => number,
  now: Instant,
): AppliedPlan {
  const jobs = new Map<number, Job>()
  const attempts = new Map<number, Attempt>()
  const runners = new Map<number, Runner>()
  const opened: Omit<Attempt, 'id'>[] = []
  const timeline: TimelineEntry[] = []

  const job = (id: number) => jobs.get(id) ?? found(rows.jobs.get(id), 'job', id)
  const attempt = (id: number) => attempts.get(id) ?? found(rows.attempts.get(id), 'attempt', id)
  const runner = (id: number) => runners.get(id) ?? found(rows.runners.get(id), 'runner', id)

  for (const change of changes) {
    switch (change.on) {
      case 'job': {
        jobs.set(change.id, moved('job', transitionJob(job(change.id), change.transition, now)))
        timeline.push(entry('job', change.id, change.id, change.transition))
        break
      }
      case 'attempt': {
        const next = moved('attempt', transitionAttempt(attempt(change.id), change.transition, now))
        attempts.set(change.id, next)
        timeline.push(entry('attempt', change.id, next.jobId, change.transition))
        break
      }
      case 'attempt-end': {
        const { proof } = change
        const id = proof === null ? null : proof.kind === 'stored' ? proof.evidenceId : evidenceId(proof)
        const event = { kind: change.kind, evidenceId: id }
        const next = moved('attempt', transitionAttempt(attempt(change.id), event, now))
        attempts.set(change.id, next)
        timeline.push(entry('attempt', change.id, next.jobId, event))
        break
      }
      case 'rebind': {
        const before = attempt(change.id)
        attempts.set(change.id, { ...before, jobId: change.jobId })
        timeline.push(
          entry('attempt', change.id, change.jobId, {
            kind: 'rebound',
            from: before.jobId,
            to: change.jobId,
          }),
        )
        break
      }
      case 'adopt': {
        opened.push(adopted(change, now))
        timeline.push(
          entry('job', change.jobId, change.jobId, { kind: 'adopted', runner: change.from.forgeRunnerName }),
        )
        break
      }
      case 'runner': {
        runners.set(change.id, moved('runner', transitionRunner(runner(change.id), change.transition, now)))
        timeline.push(entry('runner', change.id, null, change.transition))
        break
      }
      case 'runner-gone': {
        const id = evidenceId({ kind: 'runner-death', runnerId: change.id, record: change.record })
        const event = { kind: 'gone' as const, evidenceId: id, reason: change.reason }
        runners.set(change.id, moved('runner', transitionRunner(runner(change.id), event, now)))
        timeline.push(entry('runner', change.id, null, { ...event, class: change.record.class }))
        break
      }
    }
  }
  return {
    jobs: [...jobs.values()],
    attempts: [...attempts.values()].map((row) =>
      dueBehindDead(row, runners.get(row.runnerId) ?? rows.runners.get(row.runnerId), now),
    ),
    runners: dueAfterTheirs(rows, attempts, runners),
    opened,
    timeline,
  }
}

/** An attempt that stays open behind a runner that has ended is due at once, whatever the plan gave it. */
function dueBehindDead(attempt: Attempt, runner: Runner | undefined, now: Instant): Attempt {
  if (attempt.endedAt !== null || runner === undefined || isLive(runner)) return attempt
  return { ...attempt, checkAt: Math.min(attempt.checkAt, now) }
}

/**
 * The runners that are written. One whose attempt ended and that is not free for another job is looked at when it had time
 * to say goodbye, also where it is so young that it would be looked at first when its start is due.
 */
function dueAfterTheirs(
  rows: LockedRows,
  attempts: ReadonlyMap<number, Attempt>,
  moved: ReadonlyMap<number, Runner>,
): Runner[] {
  const written = new Map(moved)
  for (const { runnerId, endedAt } of attempts.values()) {
    const runner = written.get(runnerId) ?? rows.runners.get(runnerId)
    if (endedAt === null || runner === undefined || !isLive(runner)) continue
    if (runner.state === 'booting' || runner.state === 'polling') continue
    if (runner.checkAt > endedAt + goodbyeMs) {
      written.set(runnerId, { ...runner, checkAt: endedAt + goodbyeMs })
    }
  }
  return [...written.values()]
}

/** The evidence that a plan brings with it and that must be stored before the plan is applied. */
export function evidenceIn(changes: readonly Change[]): Evidence[] {
  return changes.flatMap((change): Evidence[] => {
    if (change.on === 'runner-gone') {
      return [{ kind: 'runner-death', runnerId: change.id, record: change.record }]
    }
    if (change.on !== 'attempt-end' || change.proof === null || change.proof.kind === 'stored') return []
    return [change.proof]
  })
}

function adopted(change: Extract<Change, { on: 'adopt' }>, now: Instant): Omit<Attempt, 'id'> {
  const { id: _, pastDeadline: __, ...from } = change.from
  return {
    ...from,
    handle: change.handle,
    jobId: change.jobId,
    claimedJobId: change.jobId,
    state: 'running',
    claimedAt: now,
    mintedAt: from.mintedAt ?? now,
    deliveredAt: from.deliveredAt ?? now,
    registeredAt: from.registeredAt ?? now,
    startedAt: now,
    endedAt: null,
    endReason: null,
    evidenceId: null,
    checkAt: now + change.checkInMs,
  }
}

function moved<T extends object>(what: string, result: T): Exclude<T, { refused: unknown }> {
  if (isRefusal(result)) {
    throw new HoldfastError('E_TRANSITION_REFUSED', {
      machine: what,
      state: result.state,
      event: result.event,
    })
  }
  return result as Exclude<T, { refused: unknown }>
}

function found<T>(row: T | undefined, what: string, id: number): T {
  if (row === undefined)
    throw new HoldfastError('E_BUG', { what: `a plan touches ${what} ${id}, which was not locked` })
  return row
}

function entry(
  subject: TimelineEntry['subject'],
  subjectId: number,
  jobId: number | null,
  event: { readonly kind: string; readonly [fact: string]: unknown },
): TimelineEntry {
  const { kind, ...facts } = event
  return { subject, subjectId, jobId, kind, facts }
}
