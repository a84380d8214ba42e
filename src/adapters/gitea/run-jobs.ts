import type { ForgeJobFact } from '../../domain/snapshot/index.ts'
import type { ForgeScope } from '../../ports/forge.ts'
import { isNotShown, readAll } from './answers.ts'
import type { Call } from './call.ts'
import { jobEventOf } from './job-event.ts'
import { jobFactOf } from './job-fact.ts'
import type { Numbers } from './numbers.ts'
import { repositoryPath } from './registration-path.ts'
import { type GiteaJobDetail, jobDetailSchema } from './schemas.ts'
import type { Versions } from './version.ts'

/** Older attempts are not asked for: each costs a call. */
const attemptsMax = 10

/**
 * The jobs of a run, of its newest attempts; null: Gitea does not show the run. Before 1.27 it keeps the newest attempt
 * alone.
 */
export async function readRunJobs(
  call: Call,
  versions: Versions,
  numbers: Numbers,
  { installation, repository }: ForgeScope,
  runId: number,
  signal: AbortSignal,
): Promise<readonly ForgeJobFact[] | null> {
  const { counting } = versions.current() ?? (await versions.read(signal))
  const run = `${repositoryPath(repository)}/actions/runs/${runId}`
  const newest = await jobsAt(call, `${run}/jobs`, signal)
  if (newest === null) return null
  const last = Math.max(...newest.map((job) => job.run_attempt), 1)
  const earlier: GiteaJobDetail[] = []
  for (
    let attempt = Math.max(1, last - attemptsMax + 1);
    counting === 'attempt' && attempt < last;
    attempt += 1
  )
    earlier.push(...((await jobsAt(call, `${run}/attempts/${attempt}/jobs`, signal)) ?? []))
  return [...earlier, ...newest].flatMap((job) => {
    const numbered = numbers.of(job)
    return numbered === null ? [] : jobFactOf(job, jobEventOf(job, { installation, repository, ...numbered }))
  })
}

async function jobsAt(
  call: Call,
  path: string,
  signal: AbortSignal,
): Promise<readonly GiteaJobDetail[] | null> {
  try {
    return await readAll(call, path, 'jobs', jobDetailSchema, signal)
  } catch (error) {
    if (isNotShown(error)) return null
    throw error
  }
}
