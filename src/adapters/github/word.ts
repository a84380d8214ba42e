import type { ForgeWord } from '../../domain/binding/index.ts'
import type { GitHubJob } from './schemas.ts'

/** What GitHub says about a job, in the words that all forges share. */
export function wordOf(job: GitHubJob, repository: string, installation: string): ForgeWord {
  // Before `queued` a job waits for an approval or a slot: it is open, and nobody runs it.
  const status = job.status === 'in_progress' || job.status === 'completed' ? job.status : 'queued'
  return {
    job: {
      installation,
      forgeJobId: job.id,
      runId: job.run_id,
      runAttempt: job.run_attempt,
      repository,
      name: job.name,
      labels: job.labels,
    },
    status,
    // A job that no runner took has an empty name, not none.
    runnerName: status === 'queued' ? null : job.runner_name || null,
    conclusion: status === 'completed' ? job.conclusion : null,
    queuedAt: instantOf(job.created_at),
    // GitHub gives a queued job a start too: the time at which it was queued.
    startedAt: status === 'queued' ? null : instantOf(job.started_at),
    completedAt: status === 'completed' ? instantOf(job.completed_at) : null,
  }
}

function instantOf(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Date.parse(text)
}
