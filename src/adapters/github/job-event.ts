import { isRepositoryName, type JobOrigin } from '../../domain/job/index.ts'
import type { JobEvent } from '../../domain/job-event/index.ts'
import type { StepFact } from '../../domain/snapshot/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { GitHubJob, GitHubRun, GitHubStep } from './schemas.ts'

/** GitHub did not exist before. */
const earliest = Date.UTC(2008, 0, 1)
/** The tolerance for a forge's wrong clock; a time further ahead is invalid. */
const aheadMsMax = 24 * 60 * 60_000

/** The states of a job before a runner may have it. */
const early: readonly string[] = ['waiting', 'pending', 'requested']

/** A job of GitHub as a job event. */
export function jobEventOf(
  job: GitHubJob,
  repository: string,
  installation: string,
  now: Instant,
  origin: JobOrigin = {},
): JobEvent {
  // Before `queued` a job waits for an approval or a slot: it is open, and no runner gets it.
  const isEarly = early.includes(job.status)
  const status = job.status === 'in_progress' || job.status === 'completed' ? job.status : 'queued'
  return {
    job: {
      installation,
      forgeJobId: job.id,
      runId: job.run_id,
      runAttempt: job.run_attempt,
      repository,
      name: job.name,
      ...(job.workflow_name ? { workflow: job.workflow_name } : {}),
      ...origin,
      labels: job.labels,
    },
    status,
    ...(isEarly && { waitsForApproval: true as const }),
    // A job without a runner has an empty name, not null.
    runnerName: status === 'queued' ? null : job.runner_name || null,
    conclusion: status === 'completed' ? job.conclusion : null,
    queuedAt: instantOf(job.created_at, now),
    // GitHub gives a queued job a start too: the time at which it was queued.
    startedAt: status === 'queued' ? null : instantOf(job.started_at, now),
    completedAt: status === 'completed' ? instantOf(job.completed_at, now) : null,
  }
}

/** Whether a repository is public, where GitHub says so. */
export function visibilityOf(repository: { readonly private?: boolean | undefined }): JobOrigin {
  if (repository.private === undefined) return {}
  return { visibility: repository.private ? 'private' : 'public' }
}

/** The origin of a run: its commits are a fork's where they are in another repository, whatever triggered the run. */
export function runOrigin({ repository, head_repository: head }: GitHubRun): JobOrigin {
  if (repository == null) return {}
  return { ...visibilityOf(repository), ...(head != null && { isFork: head.id !== repository.id }) }
}

/** Steps in their order. */
export function stepsOf(steps: readonly GitHubStep[], now: Instant): readonly StepFact[] {
  return steps
    .map(({ number, name, status, conclusion, started_at, completed_at }) => ({
      number,
      name,
      status,
      conclusion: conclusion ?? null,
      startedAt: instantOf(started_at, now),
      completedAt: instantOf(completed_at, now),
    }))
    .sort((a, b) => a.number - b.number)
}

/** The repository in the API's address of a job or run. */
export function repositoryIn(url: string | null | undefined): string | null {
  const parts = /\/repos\/([^/]+\/[^/]+)\/actions\/(?:jobs|runs)\/\d+$/.exec(url ?? '')
  const repository = decodedOrEmpty(parts?.[1] ?? '')
  return isRepositoryName(repository) ? repository : null
}

function decodedOrEmpty(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** A time as GitHub writes it; null where it is invalid, so that the job still counts. */
export function instantOf(given: unknown, now: Instant): Instant | null {
  const isWritten = typeof given === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(given)
  const at = isWritten ? Date.parse(given) : Number.NaN
  return at >= earliest && at <= now + aheadMsMax ? at : null
}
