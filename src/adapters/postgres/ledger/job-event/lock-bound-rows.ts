import type { Attempt } from '../../../../domain/attempt/index.ts'
import type { Runner } from '../../../../domain/runner/index.ts'
import type { Db } from '../../connection/index.ts'
import { type Locked, lockAttempts, lockJobs, lockRunners, RowsMoved } from '../plan/index.ts'
import { type BoundRows, findBoundRows } from './find-bound-rows.ts'
import type { PendingEvent } from './pending-event.ts'

export interface LockedBoundRows extends Locked {
  /** The bound rows of each event, as they are behind the locks. */
  readonly bound: ReadonlyMap<PendingEvent, BoundRows>
}

/**
 * Locks what was found, jobs before attempts before runners, and finds it again: while the rows are locked nobody binds
 * or unbinds any of them. An event that shares a row with one before it is left out: it waits for what that one changes.
 */
export async function lockBoundRows(
  tx: Db,
  found: ReadonlyMap<PendingEvent, BoundRows>,
): Promise<LockedBoundRows> {
  const before = disjoint(found)
  // Sent in one go; the server runs them in this order.
  const [locked, bound] = await Promise.all([
    lockRows(tx, [...before.values()]),
    findBoundRows(tx, [...before.keys()]),
  ])
  for (const [pending, rows] of before) {
    const after = bound.get(pending)
    if (after === undefined || !isSameRows(rows, after)) {
      throw new RowsMoved(`what is bound to forge job ${pending.event.job.forgeJobId}`)
    }
  }
  return { ...locked, bound }
}

/** The events that share no row with one before them. */
function disjoint(bound: ReadonlyMap<PendingEvent, BoundRows>): Map<PendingEvent, BoundRows> {
  const locked = new Set<string>()
  return new Map(
    [...bound].filter(([, one]) => {
      const rows = [
        ...jobsOf(one).map((id) => `job ${id}`),
        ...attemptsOf(one).map((id) => `attempt ${id}`),
        ...runnersOf(one).map((id) => `runner ${id}`),
      ]
      if (rows.some((row) => locked.has(row))) return false
      for (const row of rows) locked.add(row)
      return true
    }),
  )
}

async function lockRows(tx: Db, bound: readonly BoundRows[]): Promise<Locked> {
  const attemptIds = bound.flatMap(attemptsOf)
  const isBound = attemptIds.length > 0
  const [jobs, attempts, runners] = await Promise.all([
    lockJobs(tx, bound.flatMap(jobsOf)),
    isBound ? lockAttempts(tx, attemptIds) : new Map<number, Attempt>(),
    isBound ? lockRunners(tx, bound.flatMap(runnersOf)) : new Map<number, Runner>(),
  ])
  return { rows: { jobs, attempts, runners }, now: bound[0]?.now ?? 0 }
}

function jobsOf(bound: BoundRows): number[] {
  return present(bound.job, bound.of_runner_job)
}

function attemptsOf(bound: BoundRows): number[] {
  return present(bound.of_job, bound.of_runner)
}

function runnersOf(bound: BoundRows): number[] {
  return present(bound.of_job_runner, bound.of_runner_runner)
}

function present(...ids: readonly (number | null)[]): number[] {
  return [...new Set(ids.filter((id) => id !== null))]
}

function isSameRows(a: BoundRows, b: BoundRows): boolean {
  return (
    a.of_job === b.of_job &&
    a.of_runner === b.of_runner &&
    a.of_runner_job === b.of_runner_job &&
    a.of_job_runner === b.of_job_runner
  )
}
