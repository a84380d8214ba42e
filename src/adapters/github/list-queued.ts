import type { ForgeWord } from '../../domain/binding/index.ts'
import type { Call } from './call.ts'
import { readAll } from './pages.ts'
import { jobSchema, repositorySchema, runSchema } from './schemas.ts'
import { wordOf } from './word.ts'

/** In this order: a run that starts between the two readings is in the first list, or in both. */
const openRunStates = ['queued', 'in_progress'] as const
/** How many repositories and runs are asked about at the same time. */
const AT_ONCE_MAX = 4

/** Every queued job of every repository that we may see; one part that cannot be read fails the whole. */
export async function listQueued(
  call: Call,
  installation: string,
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
    for (const status of openRunStates) {
      const runs = await readAll(call, `${path}?status=${status}`, 'workflow_runs', runSchema, signal)
      for (const run of runs) runIds.add(run.id)
    }
    const jobs = await inTurns([...runIds], (id) =>
      readAll(call, `${path}/${id}/jobs?filter=latest`, 'jobs', jobSchema, signal),
    )
    return jobs
      .flat()
      .filter((job) => job.status === 'queued')
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
