import type { ForgeWord } from '../../domain/binding/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { GitHubJob } from './schemas.ts'

/** Before GitHub there were no jobs. */
const EARLIEST = Date.UTC(2008, 0, 1)
/** A forge's clock may be wrong, but what is further ahead is no time at all. */
const AHEAD_MS_MAX = 24 * 60 * 60_000

/** What a job says of itself before a runner may have it. */
const early: readonly string[] = ['waiting', 'pending', 'requested']

/** What GitHub says about a job, in the words that all forges share. */
export function wordOf(job: GitHubJob, repository: string, installation: string, now: Instant): ForgeWord {
  // Before `queued` a job waits for an approval or a slot: it is open, and no runner is given it.
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
      labels: job.labels,
    },
    status,
    ...(isEarly && { waitsForApproval: true as const }),
    // A job that no runner took has an empty name, not none.
    runnerName: status === 'queued' ? null : job.runner_name || null,
    conclusion: status === 'completed' ? job.conclusion : null,
    queuedAt: instantOf(job.created_at, now),
    // GitHub gives a queued job a start too: the time at which it was queued.
    startedAt: status === 'queued' ? null : instantOf(job.started_at, now),
    completedAt: status === 'completed' ? instantOf(job.completed_at, now) : null,
  }
}

/** A time as GitHub writes it. What cannot be one is not told: the job counts, not when it was. */
function instantOf(given: unknown, now: Instant): Instant | null {
  const isWritten = typeof given === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(given)
  const at = isWritten ? Date.parse(given) : Number.NaN
  return at >= EARLIEST && at <= now + AHEAD_MS_MAX ? at : null
}
