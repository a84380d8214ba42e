import type { Attempt } from '../attempt/index.ts'
import { isOpen, type Job } from '../job/index.ts'
import type { Instant } from '../time.ts'
import type { JobAtEnd } from './record.ts'

/** Kinds of timeline rows that record a job event; `endKinds` count only where the forge ended the job. */
export const eventKinds = ['seen', 'started', 'completed'] as const
export const endKinds = ['cancelled', 'lost'] as const

/** The times of the newest job events, by the job's timeline. */
export interface JobEventTimes {
  /** The newest row of `eventKinds`. */
  readonly eventAt: Instant | null
  /** The newest row of `endKinds`. */
  readonly endAt: Instant | null
}

/** The part of a death record about the runner's newest job. */
export function jobAtEndOf(attempt: Attempt, job: Job, { eventAt, endAt }: JobEventTimes): JobAtEnd {
  const forgeStatus = forgeStatusOf(job)
  const isEnd = forgeStatus === 'completed' && endAt !== null
  return {
    jobId: job.id,
    forgeJobId: job.forgeJobId,
    repository: job.repository,
    attemptId: attempt.id,
    attemptState: attempt.state,
    startedAt: attempt.startedAt,
    forgeStatus,
    conclusion: forgeStatus === 'completed' ? job.conclusion : null,
    ...(forgeStatus === 'completed' && job.forgeCompletedAt !== null
      ? { forgeCompletedAt: job.forgeCompletedAt }
      : {}),
    heardAt: isEnd ? Math.max(endAt, eventAt ?? endAt) : eventAt,
    ...(attempt.pastDeadline === undefined ? {} : { pastDeadline: attempt.pastDeadline }),
  }
}

/** Null where Holdfast closed the job, because the forge no longer knows it or lost it without an event. */
function forgeStatusOf(job: Job): string | null {
  if (isOpen(job)) return job.executor === null ? 'queued' : 'in_progress'
  const isEndedByForge =
    job.state === 'completed' || (job.conclusion !== null && job.forgeCompletedAt !== null)
  return isEndedByForge ? 'completed' : null
}
