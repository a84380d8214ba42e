import type { JobOrigin } from '../../../domain/job/index.ts'
import type { JobEvent } from '../../../domain/job-event/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { JobsAsked, ListedJobs } from '../../../ports/forge.ts'
import { mapBounded } from '../../forge-http/index.ts'
import { jobEventOf, runOrigin } from '../job-event.ts'
import { type OnSkipped, readAll } from '../pages.ts'
import { isNotFound } from '../refusal.ts'
import { type GitHubJob, jobSchema } from '../schemas.ts'
import type { Call } from '../transport/call.ts'
import { unexpected } from '../transport/expect.ts'
import { listRuns } from './list-runs.ts'
import { repositoryPath } from './paths.ts'

/** In this order: a run that starts between the two reads is in the first list, or in both. */
const openRunStates = ['queued', 'in_progress'] as const

/**
 * Lists the open jobs of a repository and those of its newer runs; a part that cannot be read fails the whole, except a
 * run that somebody deleted after it was listed.
 */
export async function listJobsOf(
  call: Call,
  repository: string,
  asked: JobsAsked,
  now: Instant,
  signal: AbortSignal,
  onSkipped?: OnSkipped,
): Promise<Pick<ListedJobs, 'events' | 'runsGone'>> {
  const { installation, heldBack } = asked
  const heldSince = heldBack?.get(repository.toLowerCase())
  const since = heldSince ?? asked.since
  const settledRuns = heldSince === undefined ? asked.settledRuns : new Set<number>()
  const path = `${repositoryPath(repository)}/actions/runs`
  const wanted = new Map<number, JobOrigin>()
  for (const which of [...openRunStates.map((status) => ({ status })), { since }]) {
    for (const run of await listRuns(call, path, which, signal, onSkipped)) {
      if (run.status !== 'completed' || !settledRuns.has(run.id)) wanted.set(run.id, runOrigin(run))
    }
  }
  const runs = await mapBounded([...wanted.keys()], (id) =>
    readJobsOf(call, `${path}/${id}`, signal, onSkipped),
  )
  const runsGone = runs.filter((run) => run.kind === 'gone').length
  if (runsGone > 0) await provesSight(call, path, signal)
  const events = runs
    .flatMap((run): readonly GitHubJob[] => (run.kind === 'gone' ? [] : run.jobs))
    .map((job): JobEvent => jobEventOf(job, repository, installation, now, wanted.get(job.run_id)))
  return { events, runsGone }
}

type RunRead = { readonly kind: 'jobs'; readonly jobs: readonly GitHubJob[] } | { readonly kind: 'gone' }

async function readJobsOf(
  call: Call,
  run: string,
  signal: AbortSignal,
  onSkipped: OnSkipped | undefined,
): Promise<RunRead> {
  try {
    const jobs = await readAll(call, `${run}/jobs?filter=latest`, 'jobs', jobSchema, signal, { onSkipped })
    return { kind: 'jobs', jobs }
  } catch (error) {
    if (isNotFound(error)) return { kind: 'gone' }
    throw error
  }
}

/** GitHub answers 404 also where it denies access: only where the list of runs can be read is one of them gone. */
async function provesSight(call: Call, runs: string, signal: AbortSignal): Promise<void> {
  const answer = await call('GET', `${runs}?per_page=1`, signal)
  if (answer.status !== 200) throw unexpected(answer, `GET ${runs}`)
}
