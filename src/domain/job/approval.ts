import type { Job } from './job.ts'

/** Why a job is withheld that the forge has announced and lets no runner have yet: somebody has to approve it there. */
export const awaitsApproval = 'It waits for an approval at the forge.'

/** Whether a job is known and not claimable until the forge says `queued` in earnest. */
export function isAwaitingApproval(job: Pick<Job, 'quarantine'>): boolean {
  return job.quarantine === awaitsApproval
}
