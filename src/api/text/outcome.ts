import { isAwaitingApproval } from '../../domain/job/index.ts'
import type { JobSummary } from '../contracts/job.ts'

/** How well a job stands, for a colour or a mark. */
export type Mood = 'good' | 'bad' | 'neutral' | 'active' | 'waiting'

export function moodOf(job: Pick<JobSummary, 'state' | 'outcome' | 'quarantine' | 'reach'>): Mood {
  if (isAwaitingApproval(job) && job.state === 'queued') return 'waiting'
  if (job.reach !== null || job.quarantine !== null || job.state === 'lost') return 'bad'
  if (job.state === 'queued') return 'waiting'
  if (job.state === 'cancelled') return 'neutral'
  if (job.state !== 'completed') return 'active'
  if (job.outcome === 'success') return 'good'
  return job.outcome === 'skipped' || job.outcome === 'neutral' ? 'neutral' : 'bad'
}

/** State and outcome in a few words; what cannot be given a runner is not called queued. */
export function stateText(
  job: Pick<JobSummary, 'state' | 'outcome' | 'conclusion' | 'quarantine' | 'requeues' | 'reach'>,
): string {
  if (job.reach !== null) return 'unreachable'
  if (isAwaitingApproval(job) && job.state === 'queued') return 'waits for approval'
  if (job.quarantine !== null && job.state === 'queued') return 'quarantined'
  if (job.state === 'lost' && job.conclusion !== null) return `lost (forge: ${job.conclusion})`
  if (job.state === 'completed') return job.outcome ?? 'completed'
  if (job.state === 'queued' && job.requeues > 0) return `queued again (${job.requeues})`
  return job.state
}
