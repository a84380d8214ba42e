import { runnerNameOf } from '../../domain/attempt/index.ts'
import type { Incident } from '../../domain/incident/index.ts'
import { isOpen, type Job } from '../../domain/job/index.ts'
import { waitingSince } from '../../domain/queue/index.ts'
import type { JobSummary } from '../contracts/job.ts'
import { reach } from './reach.ts'
import { safeText } from './safe.ts'
import { iso, isoOrNull } from './time.ts'

/**
 * A job of the ledger in the terms of the API; what is open, and which installation is
 * served, decide whether it is in reach.
 */
export function jobSummary(job: Job, incidents: readonly Incident[], served?: string): JobSummary {
  const since = waitingSince(job)
  return {
    id: job.id,
    installation: job.installation,
    forgeJobId: job.forgeJobId,
    runId: job.runId,
    runAttempt: job.runAttempt,
    repository: safeText(job.repository),
    name: safeText(job.name),
    labels: [...job.labels],
    pool: job.pool,
    priority: job.priority,
    state: job.state,
    outcome: outcomeOf(job),
    conclusion: job.conclusion === null ? null : safeText(job.conclusion),
    runner: job.executor === null ? null : runnerNameOf(job.executor),
    executor: job.executor,
    quarantine: job.quarantine === null ? null : safeText(job.quarantine),
    reach: reach(job, incidents, served),
    requeues: job.requeues,
    mintFailures: job.mintFailures,
    waitingSince: iso(since),
    waitingSinceSource: since === job.forgeQueuedAt ? 'forge' : 'ledger',
    seenAt: iso(job.seenAt),
    notBefore: iso(Math.max(job.notBefore, job.seenAt)),
    forgeQueuedAt: isoOrNull(job.forgeQueuedAt),
    forgeStartedAt: isoOrNull(job.forgeStartedAt),
    forgeCompletedAt: isoOrNull(job.forgeCompletedAt),
    endedAt: isoOrNull(job.endedAt),
  }
}

function outcomeOf(job: Job): string | null {
  if (isOpen(job)) return null
  return job.state === 'lost' ? 'lost' : (job.conclusion ?? job.state)
}
