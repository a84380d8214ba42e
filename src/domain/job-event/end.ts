import { type Attempt, attemptMoves } from '../attempt/index.ts'
import { isOpen, type Job } from '../job/index.ts'
import type { Runner } from '../runner/index.ts'
import type { Change, EndKind, EndProof } from './change.ts'

/** The next state of the job when its attempt ends. */
export type JobFate =
  | { readonly kind: 'requeue'; readonly delayMs: number; readonly mintFailed?: boolean }
  | { readonly kind: 'lost' }
  /** It ran for longer than its pool lets one run, and ended as its owner wants it; the forge has not said how. */
  | { readonly kind: 'past-deadline' }
  /** The forge does not know the job any more. */
  | { readonly kind: 'gone' }
  /** A person closed it with all of its installation. */
  | { readonly kind: 'retired' }

/** The conclusion of a job that a person closed because its forge installation is not served any more. */
export const retiredConclusion = 'retired'

/** The conclusion of a job whose runner was stopped at its pool's limit, where the forge gave none. */
const pastDeadlineConclusion = 'job-deadline'

/**
 * The next state of a job for which no runner was minted. For an incident it is not to blame; it waits by the hold alone,
 * and so goes on when the incident is over. Nor is it for a forge that did not answer, or that refuses the whole account:
 * it backs off, and nothing is counted (`failuresMax` is null).
 */
export function fateOfMint(failure: {
  readonly delayMs: number
  readonly failuresMax: number | null
  readonly incident: string | null
}): Extract<JobFate, { kind: 'requeue' }> {
  const { delayMs, failuresMax, incident } = failure
  if (incident !== null) return { kind: 'requeue', delayMs: 0 }
  return { kind: 'requeue', delayMs, ...(failuresMax === null ? {} : { mintFailed: true }) }
}

/** An attempt's end and its job's fate in one plan: capacity and state change together (I7). */
export function planEnd(
  bound: { readonly attempt: Attempt; readonly job: Job; readonly runner: Runner },
  end: { readonly kind: EndKind; readonly proof: EndProof; readonly fate: JobFate },
): Change[] | 'refused' {
  const { attempt, job, runner } = bound
  if (!(end.kind in attemptMoves[attempt.state])) return 'refused'
  if (attempt.deliveredAt !== null && end.proof === null) return 'refused'
  const changes: Change[] = [{ on: 'attempt-end', id: attempt.id, kind: end.kind, proof: end.proof }]
  if (isOpen(job)) changes.push({ on: 'job', id: job.id, transition: jobEvent(end.fate) })
  if (attempt.deliveredAt === null && runner.state === 'claimed') {
    changes.push({ on: 'runner', id: runner.id, transition: { kind: 'released' } })
  }
  return changes
}

function jobEvent(fate: JobFate): Extract<Change, { on: 'job' }>['transition'] {
  if (fate.kind === 'lost') return { kind: 'lost', conclusion: null, forgeCompletedAt: null }
  if (fate.kind === 'gone') return { kind: 'cancelled', conclusion: 'gone', forgeCompletedAt: null }
  if (fate.kind === 'past-deadline')
    return { kind: 'cancelled', conclusion: pastDeadlineConclusion, forgeCompletedAt: null }
  if (fate.kind === 'retired')
    return { kind: 'cancelled', conclusion: retiredConclusion, forgeCompletedAt: null }
  return { kind: 'requeued', delayMs: fate.delayMs, ...(fate.mintFailed ? { mintFailed: true } : {}) }
}
