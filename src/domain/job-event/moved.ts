import { isSameName, type JobOrigin, originOf } from '../job/index.ts'
import type { JobEvent } from './job-event.ts'

/**
 * Whether the forge has a job in another repository than was known: it was renamed, or given to another owner. The job
 * is the same, by its number.
 */
export function isMoved(known: { readonly repository: string }, event: Pick<JobEvent, 'job'>): boolean {
  return !isSameName(known.repository, event.job.repository)
}

/** Where an event comes from: a message may be late, or sent again, and a read of the forge is neither. */
interface EventCause {
  readonly source: string
}

/**
 * The origin of a job after an event; fields that the event does not have change nothing. A message does not make private
 * what is known to be public: it may be older than that.
 */
export function originAfter(known: JobOrigin, { job }: Pick<JobEvent, 'job'>, cause: EventCause): JobOrigin {
  const staysPublic = known.visibility === 'public' && cause.source === 'webhook'
  return { ...originOf(known), ...originOf(job), ...(staysPublic && { visibility: 'public' }) }
}

/** Whether an event changes the known origin of a job. */
export function changesOrigin(known: JobOrigin, event: Pick<JobEvent, 'job'>, cause: EventCause): boolean {
  const { visibility, isFork } = originAfter(known, event, cause)
  return visibility !== known.visibility || isFork !== known.isFork
}
