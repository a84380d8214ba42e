import { isLostBy, type RunnerDeath } from '../death/index.ts'
import type { Job } from '../job/index.ts'
import type { Change } from './change.ts'

/** Whether a plan makes a job lost by a job event. */
export function losesJob(changes: readonly Change[]): boolean {
  return changes.some((change) => change.on === 'job' && change.transition.kind === 'lost')
}

/**
 * What a death that is sealed after the job's last event changes of the jobs which the forge says ran on that runner. The
 * forge's conclusion and its time stay with the job.
 */
export function planJudged(death: RunnerDeath, ran: readonly Job[]): Change[] {
  return ran.flatMap((job): Change[] => {
    const { state, conclusion, forgeCompletedAt: completedAt, endedAt: receivedAt } = job
    if (state !== 'completed' && state !== 'cancelled') return []
    if (!isLostBy(death, { conclusion, completedAt, receivedAt })) return []
    return [
      {
        on: 'job',
        id: job.id,
        transition: { kind: 'judgedLost', death: lostAs(death), was: state, conclusion },
      },
    ]
  })
}

/** One that ended in order after somebody had deleted its pod lost its job by that. */
function lostAs({ class: of }: RunnerDeath): RunnerDeath['class'] {
  return of === 'clean' ? 'deleted' : of
}
