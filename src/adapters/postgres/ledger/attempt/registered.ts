import type { Handle } from '../../../../domain/attempt/index.ts'
import { jobMoves } from '../../../../domain/job/index.ts'
import type { Change } from '../../../../domain/job-event/index.ts'
import type { Cause, Fenced } from '../../../../ports/ledger.ts'
import type { Database } from '../../connection/index.ts'
import { applyPlan, lockOpenAttempt } from '../plan/index.ts'

/** The forge was seen to have the runner. */
export function registered(
  database: Database,
  handle: Handle,
  startDeadlineMs: number,
  cause: Cause,
): Promise<Fenced> {
  return database.transaction(async (tx) => {
    const bound = await lockOpenAttempt(tx, handle)
    if (bound === null || bound.attempt.deliveredAt === null) return { kind: 'lost' }
    const { attempt, job } = bound
    if (attempt.registeredAt !== null) return { kind: 'ok' }
    const transition = { kind: 'registered', deadlineMs: startDeadlineMs } as const
    const changes: Change[] = [{ on: 'attempt', id: attempt.id, transition }]
    if ('registered' in jobMoves[job.state])
      changes.push({ on: 'job', id: job.id, transition: { kind: 'registered' } })
    await applyPlan(tx, bound, changes, cause)
    return { kind: 'ok' }
  })
}
