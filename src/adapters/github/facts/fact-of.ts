import type { z } from 'zod'
import type { ForgeJobFact, ForgeRunnerFact } from '../../../domain/snapshot/index.ts'
import type { Instant } from '../../../domain/time.ts'
import { instantOf, repositoryIn, stepsOf } from '../job-event.ts'
import type { GitHubJobDetail, listedRunnerSchema } from '../schemas.ts'

/** A runner in GitHub's list as a fact. */
export function runnerFactOf(
  runner: z.infer<typeof listedRunnerSchema>,
  scope: string | null,
): ForgeRunnerFact {
  return {
    scope,
    id: runner.id,
    name: runner.name,
    isOnline: runner.status === 'online',
    isBusy: runner.busy,
    labels: runner.labels.map(({ name }) => name),
    version: runner.version ?? null,
  }
}

/** A job of GitHub as a fact. In a repository that was renamed, it has the present name. */
export function jobFactOf(job: GitHubJobDetail, repository: string, now: Instant): ForgeJobFact {
  const hasRunner = job.status === 'in_progress' || job.status === 'completed'
  return {
    repository: repositoryOf(job) ?? repository,
    runId: job.run_id,
    runAttempt: job.run_attempt,
    jobId: job.id,
    name: job.name,
    workflow: job.workflow_name ?? null,
    status: job.status,
    conclusion: job.conclusion,
    labels: job.labels,
    // A job without a runner has an empty name and the number 0, not null.
    runnerName: (hasRunner && job.runner_name) || null,
    runnerId: (hasRunner && job.runner_id) || null,
    headSha: job.head_sha ?? null,
    queuedAt: instantOf(job.created_at, now),
    // GitHub gives a queued job a start too: the time at which it was queued.
    startedAt: hasRunner ? instantOf(job.started_at, now) : null,
    completedAt: job.status === 'completed' ? instantOf(job.completed_at, now) : null,
    steps: job.steps === undefined ? null : stepsOf(job.steps, now),
    annotations: null,
    url: job.html_url ?? null,
  }
}

/** The repository that a job says it is of; null: it does not say it. */
export function repositoryOf(job: GitHubJobDetail): string | null {
  return repositoryIn(job.url) ?? repositoryIn(job.run_url)
}
