import type { JobEvent } from '../../domain/job-event/index.ts'
import type { ForgeJobFact, StepFact } from '../../domain/snapshot/index.ts'
import { instantOf } from './job-event.ts'
import type { GiteaJobDetail } from './schemas.ts'

/** A job of Gitea as a fact, of the attempt that the event is about. Gitea has no annotations. */
export function jobFactOf(given: GiteaJobDetail, event: JobEvent): ForgeJobFact {
  const { job, status, conclusion, runnerName, queuedAt, startedAt, completedAt } = event
  // Of an attempt before the newest Gitea keeps neither conclusion nor steps.
  const isNewest = status !== 'completed' || conclusion !== null
  return {
    repository: job.repository,
    runId: job.runId,
    runAttempt: job.runAttempt,
    jobId: job.forgeJobId,
    name: job.name,
    workflow: null,
    status,
    conclusion,
    labels: job.labels,
    runnerName,
    runnerId: (runnerName !== null && given.runner_id) || null,
    headSha: given.head_sha || null,
    queuedAt,
    startedAt,
    completedAt,
    steps: isNewest ? stepsOf(given) : null,
    annotations: null,
    url: given.html_url || null,
  }
}

/** Releases before 1.27 give every step the conclusion of the job: then nobody knows which one failed. */
function stepsOf({ steps, conclusion }: GiteaJobDetail): readonly StepFact[] | null {
  if (steps == null) return null
  const isCopied =
    steps.length > 1 && conclusion !== 'success' && steps.every((step) => step.conclusion === conclusion)
  return steps.map((step) => ({
    number: step.number,
    name: step.name,
    status: step.status,
    conclusion: isCopied ? null : step.conclusion || null,
    startedAt: instantOf(step.started_at),
    completedAt: instantOf(step.completed_at),
  }))
}
