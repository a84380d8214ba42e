import type { Attempt } from '../../../../domain/attempt/index.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Job } from '../../../../domain/job/index.ts'
import {
  type BoundAttempt,
  type Change,
  type KnownRows,
  planJobEvent,
} from '../../../../domain/job-event/index.ts'
import type { Runner } from '../../../../domain/runner/index.ts'
import type { LedgerContext } from '../context.ts'
import type { Locked } from '../plan/index.ts'
import type { BoundRows } from './find-bound-rows.ts'
import type { LockedBoundRows } from './lock-bound-rows.ts'
import type { PendingEvent } from './pending-event.ts'

/** The changes of each event to the rows that are locked for it. */
export function planEvents(
  locked: LockedBoundRows,
  { newHandle, runningCheckMs }: Pick<LedgerContext, 'newHandle' | 'runningCheckMs'>,
): Map<PendingEvent, readonly Change[]> {
  return new Map(
    [...locked.bound].map(([pending, bound]) => {
      const context = { adoptHandle: newHandle(), runningCheckMs }
      return [pending, planJobEvent(knownOf(locked, bound), pending.event, context)]
    }),
  )
}

function knownOf({ rows }: Locked, bound: BoundRows): KnownRows {
  const boundAttempt = (attemptId: number | null, death: BoundAttempt['death']): BoundAttempt | null => {
    if (attemptId === null) return null
    const attempt = held<Attempt>(rows.attempts, attemptId)
    const job = held<Job>(rows.jobs, attempt.jobId)
    return { attempt, job, runner: held<Runner>(rows.runners, attempt.runnerId), death }
  }
  return {
    job: held<Job>(rows.jobs, bound.job),
    ofJob: boundAttempt(bound.of_job, bound.of_job_death),
    ofRunner: boundAttempt(bound.of_runner, bound.of_runner_death),
    runnerHasOpenAttempt: bound.runner_has_open_attempt,
  }
}

function held<T>(rows: ReadonlyMap<number, T>, id: number): T {
  const row = rows.get(id)
  if (row === undefined)
    throw new HoldfastError('E_BUG', { what: `row ${id} was found and could not be locked` })
  return row
}
