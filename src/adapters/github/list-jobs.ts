import type { ForgeWord } from '../../domain/binding/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { Call } from './call.ts'
import { readAll } from './pages.ts'
import { jobSchema, repositorySchema, runSchema } from './schemas.ts'
import { wordOf } from './word.ts'

/** In this order: a run that starts between the two readings is in the first list, or in both. */
const openRunStates = ['queued', 'in_progress'] as const
/** What a job says of itself once a runner may have it; before that it is not ready to run. */
const told: readonly string[] = ['queued', 'in_progress', 'completed']
/** How many repositories and runs are asked about at the same time. */
const AT_ONCE_MAX = 4

/** The open jobs, and those of newer runs, of every repository that we may see; one part that cannot be read fails the whole. */
export async function listJobs(
  call: Call,
  installation: string,
  since: Instant,
  signal: AbortSignal,
): Promise<readonly ForgeWord[]> {
  const repositories = await readAll(
    call,
    '/installation/repositories',
    'repositories',
    repositorySchema,
    signal,
  )
  const words = await inTurns(repositories, async ({ full_name }) => {
    const path = `/repos/${full_name}/actions/runs`
    const runIds = new Set<number>()
    const newer = `created=${encodeURIComponent(`>=${new Date(since).toISOString()}`)}`
    for (const which of [...openRunStates.map((status) => `status=${status}`), newer]) {
      const runs = await readAll(call, `${path}?${which}`, 'workflow_runs', runSchema, signal)
      for (const run of runs) runIds.add(run.id)
    }
    const jobs = await inTurns([...runIds], (id) =>
      readAll(call, `${path}/${id}/jobs?filter=latest`, 'jobs', jobSchema, signal),
    )
    return jobs
      .flat()
      .filter((job) => told.includes(job.status))
      .map((job) => wordOf(job, full_name, installation))
  })
  return words.flat()
}

/** Works on a list, a few items at a time; the first failure fails all. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += AT_ONCE_MAX) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE_MAX).map(work))))
  }
  return results
}
