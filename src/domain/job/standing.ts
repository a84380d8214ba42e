import { isAwaitingApproval } from './approval.ts'
import { isOpen, type Job, jobStates } from './job.ts'

/** A job's state as lists show it and filter by it: a queued one that is withheld is not called queued. */
export const jobStandings = [...jobStates, 'quarantined', 'waits-for-approval'] as const
export type JobStanding = (typeof jobStandings)[number]

export function standingOf(job: Pick<Job, 'state' | 'quarantine'>): JobStanding {
  if (job.state !== 'queued' || job.quarantine === null) return job.state
  return isAwaitingApproval(job) ? 'waits-for-approval' : 'quarantined'
}

/**
 * In which order jobs ask for somebody's eye: those that nobody will run as things are (withheld, without a pool) or that
 * are between queue and runner, then those that wait, then those that run, then those that ended.
 */
export function attentionRank(job: Pick<Job, 'state' | 'quarantine' | 'pool'>): number {
  const standing = standingOf(job)
  if (standing === 'quarantined' || (job.state === 'queued' && job.pool === null)) return 0
  if (job.state === 'queued') return 1
  if (job.state === 'running') return 2
  return isOpen(job) ? 0 : endedRank
}

/** The rank of what ended: these come newest first, all others oldest first. */
export const endedRank = 3
