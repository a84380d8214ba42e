import type { Attempt } from '../attempt/index.ts'
import { isOpen, type Job } from '../job/index.ts'
import type { Instant } from '../time.ts'
import type { JobAtEnd } from './record.ts'

/** Rows of a job's timeline that stand for a word of the forge; of the last two only where it gave the end. */
export const wordKinds = ['seen', 'started', 'completed'] as const
export const endKinds = ['cancelled', 'lost'] as const

/** When the forge last said something new about a job, by what was written down then. */
export interface Heard {
  /** The newest row of `wordKinds`. */
  readonly wordAt: Instant | null
  /** The newest row of `endKinds`. */
  readonly endAt: Instant | null
}

/** What is known of a runner's newest job, in the words of a death record. */
export function jobAtEndOf(attempt: Attempt, job: Job, { wordAt, endAt }: Heard): JobAtEnd {
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
    heardAt: isEnd ? Math.max(endAt, wordAt ?? endAt) : wordAt,
    ...(attempt.pastDeadline === undefined ? {} : { pastDeadline: attempt.pastDeadline }),
  }
}

/** Null where the job was closed here, because the forge does not know it any more or lost it without a word. */
function forgeStatusOf(job: Job): string | null {
  if (isOpen(job)) return job.executor === null ? 'queued' : 'in_progress'
  const isByWord = job.state === 'completed' || (job.conclusion !== null && job.forgeCompletedAt !== null)
  return isByWord ? 'completed' : null
}
