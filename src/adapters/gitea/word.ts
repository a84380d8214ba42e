import type { ForgeWord } from '../../domain/binding/index.ts'
import { isRepositoryName } from '../../domain/job/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { GiteaJob } from './schemas.ts'

/** A time outside of these is none: 1970 is how Gitea writes one that is not set. */
const EARLIEST = Date.UTC(2008, 0, 1)
const LATEST = Date.UTC(2200, 0, 1)

/** Which job a word is about, as the ledger knows it. */
export interface Named {
  readonly installation: string
  readonly repository: string
  readonly forgeJobId: number
  readonly runAttempt: number
}

/** What Gitea says about a job, in the words that all forges share. */
export function wordOf(job: GiteaJob, named: Named): ForgeWord {
  // A job that waits for others is open, and nobody may run it yet.
  const status = job.status === 'waiting' ? 'queued' : job.status
  return {
    job: { ...named, runId: job.run_id, name: job.name, labels: job.labels ?? [] },
    status,
    runnerName: status === 'queued' ? null : job.runner_name || null,
    conclusion: status === 'completed' ? job.conclusion || null : null,
    queuedAt: instantOf(job.created_at),
    startedAt: status === 'queued' ? null : instantOf(job.started_at),
    completedAt: status === 'completed' ? instantOf(job.completed_at) : null,
  }
}

/**
 * Whether a job was ever a runner's business: one that waits for others is told when it is queued, and one that was
 * skipped never will be.
 */
export function isForRunners(job: Pick<GiteaJob, 'status' | 'conclusion' | 'runner_id'>): boolean {
  if (job.status === 'waiting') return false
  return job.status !== 'completed' || wasGiven(job) || job.conclusion !== 'skipped'
}

/** Whether a runner has or had it, this time. */
export function wasGiven(job: Pick<GiteaJob, 'runner_id'>): boolean {
  return (job.runner_id ?? 0) > 0
}

/** `owner/name` out of the address of something in a repository; null: it is not such an address. */
export function repositoryOf(url: string): string | null {
  const parts = /\/repos\/([^/]+)\/([^/]+)\/actions\//.exec(url)
  const repository = parts?.slice(1).map(decodeURIComponent).join('/') ?? ''
  return isRepositoryName(repository) ? repository : null
}

function instantOf(given: unknown): Instant | null {
  const isWritten = typeof given === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(given)
  const at = isWritten ? Date.parse(given) : Number.NaN
  return at >= EARLIEST && at <= LATEST ? at : null
}
