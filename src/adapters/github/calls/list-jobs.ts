import type { ForgeWord } from '../../../domain/binding/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { JobsAsked } from '../../../ports/forge.ts'
import { readAll } from '../pages.ts'
import { jobSchema } from '../schemas.ts'
import type { Call } from '../transport/call.ts'
import { wordOf } from '../word.ts'
import { inTurns } from './in-turns.ts'
import { listRuns } from './list-runs.ts'
import { repositoryPath } from './paths.ts'

/** In this order: a run that starts between the two readings is in the first list, or in both. */
const openRunStates = ['queued', 'in_progress'] as const
/** What a job says of itself once a runner may have it; before that it is not ready to run. */
const told: readonly string[] = ['queued', 'in_progress', 'completed']

/** The open jobs of a repository, and those of its newer runs; one part that cannot be read fails the whole. */
export async function listJobsOf(
  call: Call,
  repository: string,
  { installation, since, settledRuns }: JobsAsked,
  now: Instant,
  signal: AbortSignal,
): Promise<readonly ForgeWord[]> {
  const path = `${repositoryPath(repository)}/actions/runs`
  const wanted = new Set<number>()
  for (const which of [...openRunStates.map((status) => ({ status })), { since }]) {
    for (const { id, status } of await listRuns(call, path, which, signal)) {
      if (status !== 'completed' || !settledRuns.has(id)) wanted.add(id)
    }
  }
  const jobs = await inTurns([...wanted], (id) =>
    readAll(call, `${path}/${id}/jobs?filter=latest`, 'jobs', jobSchema, signal),
  )
  return jobs
    .flat()
    .filter((job) => told.includes(job.status))
    .map((job) => wordOf(job, repository, installation, now))
}
