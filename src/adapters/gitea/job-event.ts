import type { z } from 'zod'
import { isRepositoryName, type JobOrigin } from '../../domain/job/index.ts'
import type { JobEvent } from '../../domain/job-event/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { GiteaJob, runOriginSchema } from './schemas.ts'

/** An earlier time is invalid: Gitea writes 1970 for one that is not set. */
const earliest = Date.UTC(2008, 0, 1)
const latest = Date.UTC(2200, 0, 1)

/** The job of an event, as the ledger knows it. */
export interface Named extends JobOrigin {
  readonly installation: string
  readonly repository: string
  readonly forgeJobId: number
  readonly runAttempt: number
}

/** A job of Gitea as a job event. */
export function jobEventOf(job: GiteaJob, named: Named): JobEvent {
  // A job that waits for others is open, and no runner may have it yet.
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
 * Whether a job concerns runners: one that waits for others is reported once it is queued, and a skipped one never is.
 */
export function isForRunners(job: Pick<GiteaJob, 'status' | 'conclusion' | 'runner_id'>): boolean {
  if (job.status === 'waiting') return false
  return job.status !== 'completed' || wasGiven(job) || job.conclusion !== 'skipped'
}

/** Whether a runner has or had this attempt of the job. */
export function wasGiven(job: Pick<GiteaJob, 'runner_id'>): boolean {
  return (job.runner_id ?? 0) > 0
}

/** Whether a repository is public, where Gitea says so. */
export function visibilityOf(repository: { readonly private?: boolean | undefined }): JobOrigin {
  if (repository.private === undefined) return {}
  return { visibility: repository.private ? 'private' : 'public' }
}

/**
 * The origin of a run. For a pull request newer releases name the repository of its commits, but the base where a fork
 * was deleted: another repository proves a fork, the same one proves nothing.
 */
export function runOrigin(run: z.infer<typeof runOriginSchema>): JobOrigin {
  const { event, repository, pull_requests: pulls } = run
  if (repository == null || event == null) return repository == null ? {} : visibilityOf(repository)
  const isPull = event.startsWith('pull_request')
  const isElsewhere = pulls?.some(({ head }) => head.repo.id !== repository.id) === true
  const isFork = isPull ? (isElsewhere ? { isFork: true } : {}) : { isFork: false }
  return { ...visibilityOf(repository), ...isFork }
}

/** `owner/name` from the address of an object in a repository; null: it is not such an address. */
export function repositoryOf(url: string): string | null {
  const parts = /\/repos\/([^/]+)\/([^/]+)\/actions\//.exec(url)
  const repository = parts?.slice(1).map(decodeURIComponent).join('/') ?? ''
  return isRepositoryName(repository) ? repository : null
}

/** A time as Gitea writes it; null where it is invalid or not set. */
export function instantOf(given: unknown): Instant | null {
  const isWritten = typeof given === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(given)
  const at = isWritten ? Date.parse(given) : Number.NaN
  return at >= earliest && at <= latest ? at : null
}
