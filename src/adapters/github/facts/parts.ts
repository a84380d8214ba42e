import type { ForgeJobFact, ForgeRunnerFact } from '../../../domain/snapshot/index.ts'
import type { Instant } from '../../../domain/time.ts'
import { mapBounded } from '../../forge-http/index.ts'
import { listRuns } from '../calls/list-runs.ts'
import { repositoryPath } from '../calls/paths.ts'
import { readAll } from '../pages.ts'
import { isNotFound } from '../refusal.ts'
import { jobDetailSchema, listedRunnerSchema } from '../schemas.ts'
import type { Call } from '../transport/call.ts'
import { jobFactOf, runnerFactOf } from './fact-of.ts'

const openRunStates = ['queued', 'in_progress'] as const

/** The runners of an organisation (`acme`) or a repository (`acme/web`). */
export async function readRunners(
  call: Call,
  scope: string,
  signal: AbortSignal,
): Promise<readonly ForgeRunnerFact[]> {
  const owned = scope.includes('/') ? repositoryPath(scope) : `/orgs/${encodeURIComponent(scope)}`
  const runners = await readAll(call, `${owned}/actions/runners`, 'runners', listedRunnerSchema, signal)
  return runners.map((runner) => runnerFactOf(runner, scope))
}

/** The jobs of runs that are open, and of those since then, where a time is given. A run that somebody deleted meanwhile has none. */
export async function readJobsOfRepository(
  call: Call,
  repository: string,
  since: Instant | null,
  now: Instant,
  signal: AbortSignal,
): Promise<readonly ForgeJobFact[]> {
  const path = `${repositoryPath(repository)}/actions/runs`
  const runs = new Set<number>()
  const open = openRunStates.map((status) => ({ status }))
  for (const which of since === null ? open : [...open, { since }]) {
    for (const { id } of await listRuns(call, path, which, signal)) runs.add(id)
  }
  const jobs = await mapBounded([...runs], async (runId) => {
    try {
      return await readJobsOfRun(call, repository, runId, now, signal)
    } catch (error) {
      if (isNotFound(error)) return []
      throw error
    }
  })
  return jobs.flat()
}

/** The jobs of a run's newest attempt. */
async function readJobsOfRun(
  call: Call,
  repository: string,
  runId: number,
  now: Instant,
  signal: AbortSignal,
): Promise<readonly ForgeJobFact[]> {
  const path = `${repositoryPath(repository)}/actions/runs/${runId}/jobs?filter=latest`
  const jobs = await readAll(call, path, 'jobs', jobDetailSchema, signal)
  return jobs.map((job) => jobFactOf(job, repository, now))
}
