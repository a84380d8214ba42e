import type { ForgeWord } from '../../../domain/binding/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { JobsAsked, ListedJobs } from '../../../ports/forge.ts'
import { type OnSkipped, readAll } from '../pages.ts'
import { isNotFound } from '../refusal.ts'
import { type GitHubJob, jobSchema } from '../schemas.ts'
import type { Call } from '../transport/call.ts'
import { unexpected } from '../transport/expect.ts'
import { wordOf } from '../word.ts'
import { inTurns } from './in-turns.ts'
import { listRuns } from './list-runs.ts'
import { repositoryPath } from './paths.ts'

/** In this order: a run that starts between the two readings is in the first list, or in both. */
const openRunStates = ['queued', 'in_progress'] as const

/**
 * The open jobs of a repository, and those of its newer runs; one part that cannot be read fails the whole. A run that
 * is gone by the time its jobs are asked for is no such part: somebody deleted it.
 */
export async function listJobsOf(
  call: Call,
  repository: string,
  asked: JobsAsked,
  now: Instant,
  signal: AbortSignal,
  onSkipped?: OnSkipped,
): Promise<Pick<ListedJobs, 'words' | 'runsGone'>> {
  const { installation, heldBack } = asked
  const heldSince = heldBack?.get(repository.toLowerCase())
  const since = heldSince ?? asked.since
  const settledRuns = heldSince === undefined ? asked.settledRuns : new Set<number>()
  const path = `${repositoryPath(repository)}/actions/runs`
  const wanted = new Set<number>()
  for (const which of [...openRunStates.map((status) => ({ status })), { since }]) {
    for (const { id, status } of await listRuns(call, path, which, signal, onSkipped)) {
      if (status !== 'completed' || !settledRuns.has(id)) wanted.add(id)
    }
  }
  const runs = await inTurns([...wanted], (id) => readJobsOf(call, `${path}/${id}`, signal, onSkipped))
  const runsGone = runs.filter((run) => run.kind === 'gone').length
  if (runsGone > 0) await provesSight(call, path, signal)
  const words = runs
    .flatMap((run): readonly GitHubJob[] => (run.kind === 'gone' ? [] : run.jobs))
    .map((job): ForgeWord => wordOf(job, repository, installation, now))
  return { words, runsGone }
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

/** GitHub answers 404 also for what it does not show us any more: only where its runs still are, one of them is gone. */
async function provesSight(call: Call, runs: string, signal: AbortSignal): Promise<void> {
  const answer = await call('GET', `${runs}?per_page=1`, signal)
  if (answer.status !== 200) throw unexpected(answer, `GET ${runs}`)
}
